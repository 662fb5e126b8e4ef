// What an emulated switch holds for adaptive routing, and which of its live ports a packet takes.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "ib/adaptive.h"

namespace weft::emulator {

struct AdaptiveModel {
  AdaptiveRoutingInfo info;              // group_capacity 0: it cannot choose
  std::vector<std::bitset<256>> groups;  // as far as they were written
  std::vector<ArLftEntry> entries;       // by LID, whole blocks
  mutable std::uint32_t turn = 0;        // packets that had a choice

  /// The entry of a LID that packets are forwarded by; null where the plain table counts.
  const ArLftEntry* entry(Lid lid) const {
    return info.enabled && lid.value() < entries.size() ? &entries[lid.value()] : nullptr;
  }
};

}  // namespace weft::emulator
