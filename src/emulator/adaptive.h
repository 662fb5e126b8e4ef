// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive-routing state of an emulated switch, and its selection of a usable port for a packet.
#pragma once

#include <bitset>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "emulator/devices/device_profiles.h"
#include "ib/adaptive.h"
#include "ib/vendor/ar_settings.h"

namespace weft::emulator {

struct AdaptiveModel {
  AdaptiveSupport support = AdaptiveSupport::kNone;  // as GeneralInfo announces it
  AdaptiveRoutingInfo info;                          // group_capacity 0: not AR-capable
  std::uint16_t sub_groups_max = 0;                  // maximum sub-groups in the group table
  std::vector<std::bitset<256>> groups;              // by number, up to the highest written
  std::vector<ArLftEntry> entries;                   // by LID, whole blocks
  mutable std::uint32_t turn = 0;                    // packets for which a port was selected

  HbfConfig hashing;
  PfrnConfig pfrn;

  // FRN tables, up to the highest index written
  std::vector<std::uint8_t> directions;  // by group
  std::vector<std::uint16_t> strings;    // by direction
  std::vector<RnRcvString> received;     // by string
  std::bitset<256> transmit_ports;       // ports that send notifications
  std::bitset<256> pass_on_ports;        // ports that send notifications of other switches

  // FRN state since AdaptiveRoutingInfo was last set
  std::unordered_map<std::uint16_t, std::bitset<256>> lost;  // by group: ports removed from it
  std::set<std::uint16_t> notified;                          // groups with a notification sent
  TimeNs sending_until{};

  /// The number of groups in the table if each has as many sub-groups as the settings activate.
  std::uint16_t capacity_with(const AdaptiveRoutingInfo& settings) const {
    return static_cast<std::uint16_t>(sub_groups_max / (settings.sub_groups_active + 1u));
  }

  /// The AR forwarding entry of a LID; null if the plain table applies.
  const ArLftEntry* entry(Lid lid) const {
    return info.enabled && lid.value() < entries.size() ? &entries[lid.value()] : nullptr;
  }
  static constexpr std::uint16_t kNoGroup = 0xFFFF;
  /// The number of the group of a LID; kNoGroup if the entry is static.
  std::uint16_t group_number(Lid lid) const {
    const ArLftEntry* found = entry(lid);
    return found == nullptr || found->state == 2 || found->group >= groups.size() ? kNoGroup
                                                                                  : found->group;
  }
  /// The group of a LID as written; null if the entry is static.
  const std::bitset<256>* group(Lid lid) const {
    const std::uint16_t number = group_number(lid);
    return number == kNoGroup ? nullptr : &groups[number];
  }
};

}  // namespace weft::emulator
