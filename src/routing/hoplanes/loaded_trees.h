// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Trees of single LIDs, each selected by the load of all trees before it. The LIDs of one port may
// have different candidate next hops. (In balance/spread.h all LIDs behind a switch have the same
// candidates.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/shapes/hop_dag.h"
#include "routing/shapes/tree_growth.h"

namespace weft::hoplanes {

class LoadedTrees {
 public:
  /// `ignored`: ports without traffic; sorted.
  LoadedTrees(const Fabric& fabric, std::span<const EndportId> ignored);

  /// Adds the flows from all hosts that are not ignored to a LID, on the paths of the tables.
  void count(const Lfts& lfts, Lid lid);
  /// Selects for each switch of the DAG the next hop of the least loaded path, sets the entries,
  /// and adds the flows.
  void route(const HopDag& dag, Lid lid, Lfts& lfts);

  std::uint64_t load(std::uint32_t channel) const { return load_[channel] >> kNextHopBits; }

 private:
  const Fabric& fabric_;
  std::vector<std::uint32_t> weights_;  // by channel
  std::vector<std::uint32_t> hosts_;    // by switch
  std::vector<std::uint64_t> load_;     // by channel, << kNextHopBits
  std::vector<std::uint64_t> cost_;     // by switch
  std::vector<std::uint32_t> flow_;     // by switch
  std::vector<TreeChoice> choices_;
};

}  // namespace weft::hoplanes
