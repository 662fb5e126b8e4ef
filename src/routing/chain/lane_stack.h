// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lanes with acyclic turns. Each set of turns is put on the first lane that stays acyclic with the
// set and on which none of its channels is reserved.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "routing/deadlock/acyclic_turns.h"

namespace weft {

class LaneStack {
 public:
  /// More than the VLs of a fabric, so that errors can contain the number of necessary lanes.
  static constexpr unsigned kLanesMax = 32;
  using Turn = std::pair<std::uint32_t, std::uint32_t>;  // held and requested channel

  explicit LaneStack(const Turns& turns) : turns_(turns) {}

  unsigned count() const { return static_cast<unsigned>(lanes_.size()); }
  /// Reserves these channels on `count` consecutive lanes and returns the first lane. The lanes are
  /// the lowest on which none of the channels is reserved. Must precede all calls of put(), because
  /// turns on the lanes are not checked.
  unsigned reserve(const std::vector<bool>& channels, unsigned count);
  /// Puts a set without a cycle on a lane and returns the lane; nullopt if more than kLanesMax
  /// lanes are necessary.
  std::optional<unsigned> put(const TurnSet& set);
  /// Like put(const TurnSet&), for few turns; also nullopt if the set alone has a cycle.
  std::optional<unsigned> put(std::span<const Turn> set);

 private:
  struct Lane {
    AcyclicTurns held;
    std::vector<bool> reserved;  // by channel; empty: none
  };
  void grow(unsigned count);
  bool put(std::span<const Turn> set, Lane& lane);

  const Turns& turns_;
  std::vector<Lane> lanes_;
};

}  // namespace weft
