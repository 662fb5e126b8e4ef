// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables and lanes for all destinations, from the trees of LanedTrees.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routes/lfts.h"
#include "routing/deadlock/laned_trees.h"
#include "routing/options.h"
#include "routing/tables/destinations.h"

namespace weft {

struct LanedTables {
  Lfts lfts;
  /// Lane by source switch and LID, rows from LID 0 to the top; empty if LanedTrees has no
  /// lanes.
  std::vector<std::uint8_t> lanes;
  unsigned lanes_used = 0;
  /// With both_directions, in place of `lanes`: balanced lanes by pair of switches.
  std::vector<std::uint8_t> pair_lanes;
};

enum class Share {
  kNone,  // every LID has a separate tree
  /// The i-th LIDs of all hosts of a switch share trees. The number of trees is at most the largest
  /// number of parallel cables in the fabric.
  kSwitchTrees,
  kAll,  // the i-th LIDs of a switch and all its hosts have one tree
};

/// Returns the rules to try, in this order. On regular fabrics (grids, cubes, flattened
/// butterflies) a selection by cost alone results in dimension order. On irregular fabrics, the
/// rules prefer paths with existing turns to paths with the least load, and the first rules allow
/// fewer searches.
std::vector<LanedTrees::Rules> lane_plans(const Fabric& fabric, unsigned lanes);

/// Returns nullopt if a path fits on no lane, or if the fabric is irregular and the rules require a
/// regular fabric. The result does not depend on the number of threads. `ranks`: see
/// make_shortest_dag(); ignored with weights. `weights`: weights of hops by ChannelId; empty: all
/// are 1.
std::optional<LanedTables> grow_tables(const Fabric& fabric, const Turns& turns,
                                       const std::vector<std::vector<Destination>>& classes,
                                       const LanedTrees::Rules& rules, Share share,
                                       unsigned threads, std::span<const std::uint8_t> ranks = {},
                                       std::span<const std::uint64_t> weights = {});

}  // namespace weft
