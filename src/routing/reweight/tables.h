// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reweighting of tables with a tree for each LID, without regard to lanes.
#pragma once

#include <span>

#include "routes/lfts.h"
#include "routing/option_groups.h"
#include "routing/reweight/passes.h"
#include "routing/tables/destinations.h"

namespace weft::reweight {

/// LIDs that take part.
enum class LidsMoved {
  kAll,    // those of ports with several LIDs count, but stay
  kFirst,  // the first of each port; the others do not count
};

/// Changes the entries of hosts with one LID. Unchanged stay, and count: ports with several LIDs
/// and scattered ones: load does not select their next hops. Ignored ports do not count.
/// `candidates` are those from which the tables were selected, and `reweight` is the parameter.
/// Does nothing with --balance=local.
Outcome reweigh_tables(const Fabric& fabric, std::span<const Destination> order,
                       const Candidates& candidates, const SpreadOptions& options,
                       unsigned reweight, Lfts& lfts, LidsMoved moved = LidsMoved::kAll);

}  // namespace weft::reweight
