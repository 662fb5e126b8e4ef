// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables, and one deadlock-free layer (a virtual lane) for all paths between two switches in both
// directions, since a reply has the SL of its request. Used by lash, and by dfsssp if paths that
// were selected for balance alone do not fit on the lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routes/lfts.h"
#include "routing/deadlock/turns.h"
#include "routing/shapes/trunks.h"
#include "routing/tables/destinations.h"

namespace weft {

struct PairLayers {
  Lfts lfts;
  unsigned count = 1;
  std::vector<std::uint8_t> of_pair;  // row by row, symmetric
};

/// Uses at most `layers` layers if possible, or else as many as necessary; nullopt if more than
/// LanedTrees::kLanesMax are necessary. The i-th LIDs of all endports of a switch use the same
/// neighbors as next hops. `order` has a switch at most once; paths to the first switches are
/// selected first. The first method that fits is used: dimension order on meshes and tori; load
/// alone on regular fabrics; pairs on orders of switches (layered_pairs.h); trees that are added
/// one after another (laned_trees.h).
std::optional<PairLayers> make_pair_layers(const Fabric& fabric, const Turns& turns,
                                           std::span<const Destination> order, unsigned layers,
                                           unsigned threads);

/// Returns the tables of paths over trunks. `next`: the first trunk toward each switch, row by
/// destination; or LayeredPairs::kNoTrunk. LIDs alternate between the cables of a trunk.
Lfts tables_of_trunks(const Fabric& fabric, const Trunks& trunks,
                      std::span<const std::uint32_t> next, unsigned threads);

}  // namespace weft
