// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The routes of the steps of a chain, and the step to which each table entry belongs.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/chain/chain.h"

namespace weft {

struct PlacedStep {
  static constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;

  const ChainStep* step = nullptr;
  Routes routes;                         // with the ids of step->part
  std::vector<std::uint32_t> part_of{};  // by switch of the whole fabric: its id in the part, or
                                         // kElsewhere
  bool has(SwitchId sw) const { return part_of[sw.value()] != kElsewhere; }
  SwitchId at(SwitchId sw) const { return SwitchId(part_of[sw.value()]); }
};

/// The steps in order of increasing precedence: later steps override earlier ones. Steps of path
/// bit 0 precede the other steps; then the order is by id. A path uses entries of steps in
/// ascending order, since a step routes to its destinations within its part.
using PlacedSteps = std::vector<PlacedStep>;

/// By switch and LID, the index in PlacedSteps of the step to which the entry belongs.
class Owners {
 public:
  static constexpr std::uint8_t kNoOwner = 0xFF;
  Owners(std::uint32_t switches, Lid top)
      : stride_(std::size_t{top.value()} + 1), owner_(switches * stride_, kNoOwner) {}
  std::uint8_t of(SwitchId sw, Lid lid) const { return owner_[sw.value() * stride_ + lid.value()]; }
  void set(SwitchId sw, Lid lid, std::uint8_t place) {
    owner_[sw.value() * stride_ + lid.value()] = place;
  }

 private:
  std::size_t stride_;
  std::vector<std::uint8_t> owner_;
};

}  // namespace weft
