// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The senders of each switch in one tree of next hops, that is, the switches with this next hop.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/shapes/hop_dag.h"

namespace weft::reweight {

class Senders {
 public:
  /// Reads a tree. `next(sw)`: the next hop of a member of the DAG.
  template <class Next>
  void read(std::uint32_t switches, const HopDag& dag, const Next& next) {
    first_.assign(switches, kNone);
    after_.resize(switches);
    before_.resize(switches);
    for (const HopDag::Member& member : dag.members()) add(member.sw, next(member.sw));
  }

  /// Changes the next hop of `sw`.
  void move(std::uint32_t sw, std::uint32_t from, std::uint32_t to) {
    if (before_[sw] == kNone)
      first_[from] = after_[sw];
    else
      after_[before_[sw]] = after_[sw];
    if (after_[sw] != kNone) before_[after_[sw]] = before_[sw];
    add(sw, to);
  }

  /// Calls body(sender) for the senders of a switch until a call returns false. Returns whether all
  /// calls returned true.
  template <class Body>
  bool each(std::uint32_t sw, const Body& body) const {
    for (std::uint32_t s = first_[sw]; s != kNone; s = after_[s])
      if (!body(s)) return false;
    return true;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  void add(std::uint32_t sw, std::uint32_t to) {
    before_[sw] = kNone;
    after_[sw] = first_[to];
    if (first_[to] != kNone) before_[first_[to]] = sw;
    first_[to] = sw;
  }

  std::vector<std::uint32_t> first_;   // by switch: its first sender
  std::vector<std::uint32_t> after_;   // by switch: the next sender of the same switch
  std::vector<std::uint32_t> before_;  // by switch: the previous sender of the same switch
};

}  // namespace weft::reweight
