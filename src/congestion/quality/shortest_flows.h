// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Flows of all hosts to hosts at one switch over shortest paths, for many LIDs at once. Every hop
// of such a path reduces the distance, so one order of the switches is valid for all LIDs: the
// flows of each switch, its own and those that it receives, are added to its next hops.
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

/// Not thread-safe: each thread uses its own object.
class ShortestFlows {
 public:
  using Word = std::uint64_t;  // LIDs of a block

  /// `hosts`: by switch. All arguments must outlive this object.
  ShortestFlows(const PortMap& map, std::span<const std::uint32_t> hosts);

  /// Adds the flows to LIDs of the loaded block, all of one switch, to `load` (by channel). The
  /// table of that switch must forward to the hosts. Returns the LIDs to which some path is missing
  /// or not shortest; their flows are not added.
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
