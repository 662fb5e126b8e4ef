// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reweighting of tables with a tree for each LID, without regard to lanes.
#pragma once

#include <cstdint>
#include <span>

#include "routes/lfts.h"
#include "routing/option_groups.h"
#include "routing/reweight/passes.h"
#include "routing/tables/destinations.h"

namespace weft::reweight {

/// What the tables are before the passes.
enum class Begin : std::uint8_t {
  kBalanced,
  kPattern,  // of the closed form for trees: only few moves keep it free of congestion
};

/// LIDs that take part.
enum class LidsMoved : std::uint8_t {
  kAll,
  kFirst,  // the first of each port; the others do not count
};

/// Changes the entries of hosts, each with its node weight. Unchanged stay, and count: scattered
/// ports, since load does not select their next hops, and LIDs with paths that are no candidates.
/// Ignored ports do not count. `candidates` are those from which the tables were selected, and
/// `reweight` is the parameter. Does nothing with --balance=local.
Outcome reweigh_tables(const Fabric& fabric, std::span<const Destination> order,
                       const Candidates& candidates, const WeightedOptions& options,
                       unsigned reweight, Lfts& lfts, Begin begin = Begin::kBalanced,
                       LidsMoved moved = LidsMoved::kAll);

/// Of the paths of all hosts to all LIDs of hosts, if these are at most Potential::kHopsMost long.
Measure measure_tables(const Fabric& fabric, const Lfts& lfts, unsigned threads);

}  // namespace weft::reweight
