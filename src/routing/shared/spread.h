// Spreading: which of the candidates each switch takes for each LID, so that no channel carries
// more than it must.
//
// Global: for each LID the tree of its paths is grown from the destination outward; a switch joins
// by the channel whose whole way costs least, where a channel costs the flows that it carries
// already. All sources so agree on the way near the destination, and after each LID its real flows
// are added. (The idea is that of SSSP routing, Hoefler et al., HOTI 2009, restricted to the
// candidates and without a heap, since order() is by distance.) Local: OpenSM's rule for minhop and
// updn. Each switch takes the port that it has used for the fewest LIDs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/options.h"
#include "routing/shared/destinations.h"
#include "routing/shared/hop_dag.h"

namespace weft {

/// Fills the DAG toward a switch; called by several threads at once, each with a DAG of its own.
using DagMaker = std::function<void(SwitchId destination, HopDag& dag)>;

/// Tables for all destinations in order. Equal bytes for any number of threads. Some of them may be
/// routed once before, only for the load that they are going to make: so the first ones, too, keep
/// away from where everyone has to go. Where balance is global and nothing stays as it was.
Lfts spread(const Fabric& fabric, std::span<const Destination> order, const DagMaker& make_dag,
            const RoutingOptions& options, std::span<const Destination> rehearsal = {});
/// The same with the DAGs toward all switches, by SwitchId, made before.
Lfts spread(const Fabric& fabric, std::span<const Destination> order,
            std::span<const HopDag> dag_toward, const RoutingOptions& options,
            std::span<const Destination> rehearsal = {});

}  // namespace weft
