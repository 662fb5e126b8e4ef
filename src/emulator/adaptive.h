// What an emulated switch holds for adaptive routing, and which of its live ports a packet takes.
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
  AdaptiveRoutingInfo info;              // group_capacity 0: it cannot choose
  std::vector<std::bitset<256>> groups;  // as far as they were written
  std::vector<ArLftEntry> entries;       // by LID, whole blocks
  mutable std::uint32_t turn = 0;        // packets that had a choice

  // Notifications, as far as they were written
  std::vector<std::uint8_t> directions;  // by group
  std::vector<std::uint16_t> strings;    // by direction
  std::vector<RnRcvString> received;     // by string
  std::bitset<256> tells_by;             // ports

  // What they have come to since AdaptiveRoutingInfo was set
  std::unordered_map<std::uint16_t, std::bitset<256>> lost;  // by LID: ports that lead nowhere
  std::set<std::uint16_t> told;                              // LIDs
  TimeNs telling_until{};

  /// The entry of a LID that packets are forwarded by; null where the plain table counts.
  const ArLftEntry* entry(Lid lid) const {
    return info.enabled && lid.value() < entries.size() ? &entries[lid.value()] : nullptr;
  }
  /// The group of a LID as it was written; null where it has none.
  const std::bitset<256>* group(Lid lid) const {
    const ArLftEntry* found = entry(lid);
    return found == nullptr || found->state == 2 || found->group >= groups.size()
               ? nullptr
               : &groups[found->group];
  }
};

}  // namespace weft::emulator
