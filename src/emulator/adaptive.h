// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive routing state of an emulated switch, and its choice of a live port for a packet.
#pragma once

#include <bitset>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "ib/adaptive.h"

namespace weft::emulator {

struct AdaptiveModel {
  AdaptiveRoutingInfo info;              // group_capacity 0: not AR-capable
  std::vector<std::bitset<256>> groups;  // up to the highest written
  std::vector<ArLftEntry> entries;       // by LID, whole blocks
  mutable std::uint32_t turn = 0;        // packets with a choice of ports

  // Notification tables, up to the highest index written
  std::vector<std::uint8_t> directions;  // by group
  std::vector<std::uint16_t> strings;    // by direction
  std::vector<RnRcvString> received;     // by string
  std::bitset<256> transmit_ports;       // ports that send notifications
  std::bitset<256> pass_on_ports;        // ports that send those of other switches

  // Notification state since AdaptiveRoutingInfo was last set
  std::unordered_map<std::uint16_t, std::bitset<256>> lost;  // by LID: ports removed from its group
  std::set<std::uint16_t> notified;                          // LIDs with a notification sent
  TimeNs sending_until{};

  /// The AR forwarding entry of a LID; null if the plain table applies.
  const ArLftEntry* entry(Lid lid) const {
    return info.enabled && lid.value() < entries.size() ? &entries[lid.value()] : nullptr;
  }
  /// The group of a LID as written; null if the entry is static.
  const std::bitset<256>* group(Lid lid) const {
    const ArLftEntry* found = entry(lid);
    return found == nullptr || found->state == 2 || found->group >= groups.size()
               ? nullptr
               : &groups[found->group];
  }
};

}  // namespace weft::emulator
