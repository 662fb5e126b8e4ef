// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds the end of packets for one LID from each switch, for forwarding tables without adaptive
// routing. Every switch is visited once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "verify/lid_tally.h"

namespace weft {

class LidEnds {
 public:
  explicit LidEnds(std::uint32_t switches) : ends_(switches), on_path_(switches, false) {}

  /// Returns the ends by switch. next(switch): the next hop of the switch, or kNoSwitch.
  /// last(switch): the end of packets at a switch without a next hop.
  template <class Next, class Last>
  std::span<const LidEnd> find(const Next& next, const Last& last) {
    for (LidEnd& end : ends_) end.known = false;
    for (std::uint32_t start = 0; start < ends_.size(); ++start) {
      if (ends_[start].known) continue;
      // In most cases the next switch has been visited.
      if (const SwitchId to = next(start); to != kNoSwitch && ends_[to.value()].known) {
        ends_[start] = ends_[to.value()];
        continue;
      }
      path_.clear();
      const LidEnd end = follow(start, next, last);
      for (const std::uint32_t passed : path_) {
        ends_[passed] = end;
        on_path_[passed] = false;
      }
    }
    return ends_;
  }

 private:
  template <class Next, class Last>
  LidEnd follow(std::uint32_t at, const Next& next, const Last& last) {
    while (true) {
      if (ends_[at].known) return ends_[at];
      if (on_path_[at]) return {true, WalkEnd::kLoop, SwitchId(at)};
      on_path_[at] = true;
      path_.push_back(at);
      const SwitchId to = next(at);
      if (to == kNoSwitch) return {true, last(at), SwitchId(at)};
      at = to.value();
    }
  }

  std::vector<LidEnd> ends_;
  std::vector<bool> on_path_;
  std::vector<std::uint32_t> path_;
};

}  // namespace weft
