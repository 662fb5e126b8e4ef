// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Load balancing: selects one of the candidate next hops of each switch for each LID, so that the
// load of the most loaded channel is small.
//
// Global balance: for each LID the tree of its paths is built from the destination outward. A
// switch is added by the channel with the least path cost; the cost of a channel is the number of
// flows on the channel, multiplied by the weight of the channel (channel_weights.h). After each
// LID, the flows to the LID are added to the channels. Source: SSSP routing, Hoefler et al., HOTI
// 2009; here restricted to the candidates, and without a heap, since the DAG is sorted by distance.
// Local balance: OpenSM's rule for minhop and updn; each switch selects the port that it uses for
// the fewest LIDs of hosts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/option_groups.h"
#include "routing/shapes/hop_dag.h"
#include "routing/tables/destinations.h"

namespace weft {

/// Fills the DAG toward a switch; called by several threads at once, each with its own DAG.
using DagMaker = std::function<void(SwitchId destination, HopDag& dag)>;

/// Returns tables for all destinations, which are processed in order; with previous tables, the
/// endports with entries that can stay unchanged are processed first. The result does not depend on
/// the number of threads. Destinations in `counted_first` are first routed only to count their
/// load, so that the paths to the first destinations, too, avoid channels that many paths need.
/// `counted_first` is used only with global balance and without previous tables.
Lfts spread(const Fabric& fabric, std::span<const Destination> order, const DagMaker& make_dag,
            const SpreadOptions& options, std::span<const Destination> counted_first = {});
/// Like the other spread(), with precomputed DAGs toward all switches, by SwitchId.
Lfts spread(const Fabric& fabric, std::span<const Destination> order,
            std::span<const HopDag> dag_toward, const SpreadOptions& options,
            std::span<const Destination> counted_first = {});

}  // namespace weft
