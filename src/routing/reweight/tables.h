// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reweighting of tables with a tree for each LID, without regard to lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "routes/lfts.h"
#include "routes/routes.h"
#include "routing/option_groups.h"
#include "routing/reweight/passes.h"
#include "routing/tables/destinations.h"

namespace weft::reweight {

/// Origin of the tables before the passes.
enum class Begin : std::uint8_t {
  kBalanced,
  kPattern,  // closed form for trees: many moves would add congestion
};

/// LIDs that the passes may move.
enum class LidsMoved : std::uint8_t {
  kAll,
  kFirst,  // the first of each port; other LIDs have no load
};

/// Changes the entries for LIDs of hosts. Loads are weighted by the node weights. Entries for
/// scattered ports, which are selected at random at equal load, and for LIDs with paths that are no
/// candidates stay unchanged, but their load is included. Entries for ignored ports and aggregation
/// nodes stay unchanged, and their load is not included. `candidates` are the paths from which the
/// tables were selected, and `reweight` is the parameter. Does nothing with --balance=local, or if
/// the result would not be better.
Outcome reweigh_tables(const Fabric& fabric, std::span<const Destination> order,
                       const Candidates& candidates, const WeightedOptions& options,
                       unsigned reweight, Lfts& lfts, Begin begin = Begin::kBalanced,
                       LidsMoved moved = LidsMoved::kAll);

/// Stores the routes before the passes if there are passes and `into` is not null.
inline void store_before_passes(const Routes& routes, unsigned reweight,
                                std::optional<Routes>* into) {
  if (reweight > 0 && into != nullptr) *into = routes;
}

/// Measure of the paths of all hosts to all LIDs of hosts; 0 if some shortest path has more than
/// Potential::kHopsMost hops.
Measure measure_tables(const Fabric& fabric, const Lfts& lfts, unsigned threads);

}  // namespace weft::reweight
