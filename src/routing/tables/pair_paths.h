// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// All paths between two switches, in both directions and to every LID behind them. Engines assign
// these paths to one SL, because replies use the SL of their request.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft {

/// Whether endports at `from` send packets to `to`. Switches do not send packets to each other.
inline bool is_traffic(const Fabric& fabric, SwitchId from, const Endport& to) {
  return !fabric.is_switch(to.node) || !fabric.endports_at(from).empty();
}

/// Not thread-safe: each thread uses its own object. The fabric and the tables must outlive this
/// object.
class PairPaths {
 public:
  PairPaths(const Fabric& fabric, const Lfts& lfts);

  /// The different paths of all packets from a to b and from b to a, as channels. A path that does
  /// not reach its destination ends at the last switch that forwards, or in a loop after more hops
  /// than there are switches. Valid until the next call.
  std::span<const std::vector<std::uint32_t>> between(SwitchId a, SwitchId b);

 private:
  void add(SwitchId from, SwitchId to);

  const Fabric& fabric_;
  const Lfts& lfts_;
  std::vector<std::vector<EndportId>> endports_;   // by switch
  std::vector<std::vector<std::uint32_t>> paths_;  // the first count_ are valid
  std::size_t count_ = 0;
};

}  // namespace weft
