// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Adaptive-routing state of an emulated switch.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "emulator/agent/private_lfts.h"
#include "emulator/devices/device_profiles.h"
#include "ib/adaptive.h"
#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/ar_settings.h"
#include "routes/adaptive.h"

namespace weft::emulator {

/// Weights of the sub-groups of a group.
using SubGroupWeights = std::array<std::uint8_t, WhbfBlock::kSubGroups>;

/// Transports, by their bits in AdaptiveRoutingInfo::transports_excluded.
enum class Transport : std::uint8_t { kUd, kRc, kUc, kDc };

/// The properties of a packet by which a switch selects its table and its port.
struct PacketFlow {
  Sl sl{0};
  Transport transport = Transport::kUd;
  std::uint32_t hash = 0;  // of the other fields that identify the flow
};

struct AdaptiveModel {
  AdaptiveSupport support = AdaptiveSupport::kNone;  // as GeneralInfo announces it
  AdaptiveRoutingInfo info;                          // group_capacity below 2: not AR-capable
  SmpData info_data{};  // bits of AdaptiveRoutingInfo that belong to no field, as last set
  std::uint16_t sub_groups_max = 0;      // maximum sub-groups in the group table
  std::vector<std::bitset<256>> groups;  // by sub-group, up to the highest written
  std::vector<SubGroupWeights> weights;  // by group, up to the highest written
  std::vector<ArLftEntry> entries;       // by LID, whole blocks
  mutable std::uint32_t selection = 0;   // packets without HBF that selected a port

  PrivateLftModel plft;  // the entries above are those of pLFT 0

  HbfConfig hashing;
  PfrnConfig pfrn;

  // FRN tables, up to the highest index written
  std::vector<std::uint8_t> directions;  // by sub-group
  std::vector<std::uint16_t> strings;    // by direction
  std::vector<RnRcvString> received;     // by string
  std::bitset<256> transmit_ports;       // ports that send notifications
  std::bitset<256> pass_on_ports;        // ports that send notifications of other switches

  // FRN state since AdaptiveRoutingInfo was last set
  std::unordered_map<std::uint16_t, std::bitset<256>> lost;  // by group: removed ports
  std::set<std::uint16_t> notified;                          // groups with a notification sent
  TimeNs sending_until{};

  /// The number of groups in the table if each has as many sub-groups as the settings activate.
  std::uint16_t capacity_with(const AdaptiveRoutingInfo& settings) const {
    return static_cast<std::uint16_t>(sub_groups_max / ar_unconfirmed::sub_groups_of(settings));
  }

  /// Whether packets of this SL and transport are routed adaptively.
  bool serves(const PacketFlow& flow) const {
    const bool excluded =
        (info.transports_excluded >> static_cast<unsigned>(flow.transport) & 1) != 0;
    return !excluded && (!info.by_sl_enabled || (info.sl_mask >> flow.sl.value() & 1) != 0);
  }
  /// Whether the port of a packet is selected by hash: by the state of the entry or by the SL.
  bool selects_by_hash(const ArLftEntry& entry, Sl sl) const {
    return entry.state == static_cast<std::uint8_t>(ArState::kHash) ||
           ((info.more_enabled & AdaptiveRoutingInfo::kHbfBySlEnabled) != 0 &&
            (info.hbf_sl_mask >> sl.value() & 1) != 0);
  }

  unsigned sub_groups() const { return ar_unconfirmed::sub_groups_of(info); }
  /// The number of groups in the table, up to the highest written.
  std::size_t group_count() const { return groups.size() / sub_groups(); }
  /// The ports of a group, of all its sub-groups.
  std::bitset<256> ports(std::size_t number) const {
    std::bitset<256> all;
    for (unsigned i = 0; i < sub_groups(); ++i) all |= groups[number * sub_groups() + i];
    return all;
  }
  /// The direction of the notifications for a group; kRnNoDirection: none are sent.
  std::uint8_t direction(std::size_t number) const {
    const std::size_t first = number * sub_groups();
    return first < directions.size() ? directions[first] : kRnNoDirection;
  }
  /// Whether weights divide the traffic of groups.
  bool uses_weights() const {
    return (info.more_enabled & AdaptiveRoutingInfo::kWhbfEnabled) != 0 && sub_groups() > 1;
  }

  /// The entries of a pLFT; pLFTs other than 0 have entries only on a switch with pLFTs.
  std::vector<ArLftEntry>& entries_of(unsigned table) {
    return table == 0 ? entries : plft.further_entries[table - 1];
  }
  const std::vector<ArLftEntry>& entries_of(unsigned table) const {
    return table == 0 ? entries : plft.further_entries[table - 1];
  }
  /// The AR forwarding entry of a LID in a pLFT; null if the plain table applies.
  const ArLftEntry* entry(Lid lid, unsigned table = 0) const {
    const auto& all = entries_of(table);
    return info.enabled && lid.value() < all.size() ? &all[lid.value()] : nullptr;
  }
  static constexpr std::uint16_t kNoGroup = 0xFFFF;
  /// The number of the group of a LID in a pLFT; kNoGroup if the entry is static.
  std::uint16_t group_number(Lid lid, unsigned table = 0) const {
    const ArLftEntry* found = entry(lid, table);
    return found == nullptr || found->state == static_cast<std::uint8_t>(ArState::kStatic) ||
                   found->group >= group_count()
               ? kNoGroup
               : found->group;
  }
  /// The group of a LID as written; nothing if group_number() is kNoGroup.
  std::optional<std::bitset<256>> group(Lid lid) const {
    const std::uint16_t number = group_number(lid);
    return number == kNoGroup ? std::nullopt : std::optional(ports(number));
  }
};

}  // namespace weft::emulator
