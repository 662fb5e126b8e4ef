// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Flows of all hosts to hosts at one switch over shortest paths, for many LIDs at once. On such
// paths every hop leads to a switch that is nearer, so that one order of the switches serves all
// LIDs: each adds its own flows and those that it received to its next hops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "congestion/quality/block_ports.h"
#include "fabric/fabric.h"
#include "fabric/hops.h"
#include "routes/next_hops.h"

namespace weft {

/// Each thread has its own.
class ShortestFlows {
 public:
  using Word = std::uint64_t;  // LIDs of a block

  /// `hosts`: by switch. All arguments must outlive this object.
  ShortestFlows(const PortMap& map, std::span<const std::uint32_t> hosts);

  /// Adds the flows to LIDs of the loaded block, all of one switch, to `load` (by channel). The
  /// tables of that switch must deliver them. Returns the LIDs to which some path is not shortest
  /// or does not arrive; their flows are not added.
  Word add(const BlockPorts& ports, Word lids, const OrderedHops& from_switch,
           std::span<std::uint64_t> load);

 private:
  Word follow(const BlockPorts& ports, Word lids, const OrderedHops& from_switch,
              std::uint64_t sign, std::span<std::uint64_t> load);

  const PortMap& map_;
  std::span<const std::uint32_t> hosts_;
  // By switch: LIDs with flows from other switches, and those flows by LID of the block.
  std::vector<Word> passing_;
  std::vector<std::uint32_t> flow_;
};

}  // namespace weft
