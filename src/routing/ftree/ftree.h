// Fat-tree routing by closed form: every switch computes the next hop from the index of a
// destination, so that shift permutations of a full tree never share a cable, and in a damaged tree
// only the paths that the damage breaks change. Sources: Zahavi et al., "Optimized InfiniBand
// fat-tree routing for shift all-to-all communication patterns", 2009; Zahavi, IPDPSW 2011
// (D-mod-K); Gliksberg et al., IEEE Micro 2020 (Dmodc); opensm(8), "Fat-tree Routing Algorithm".
// Cost: O(channels * switches) byte operations and O(switches * LIDs) writes; memory in addition to
// the tables: 2 KiB a switch.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/options.h"

namespace weft {

/// Uses roots, compute_nodes, io_nodes, max_reverse_hops, index_from_roots, node_weights and
/// threads. Fails with kUnroutable naming switches and the rule where the fabric is no fat tree
/// (see ftree/levels.h), or where two switches with compute nodes have no up/down path though
/// cables join them.
Result<Routes> route_ftree(const Fabric& fabric, const RoutingOptions& options);

/// The same, and `rank`, the ranks of goes_up() in shared/ranks.h by which its paths are up*/down*.
Result<Routes> route_ftree_ranked(const Fabric& fabric, const RoutingOptions& options,
                                  std::vector<std::uint16_t>& rank);

}  // namespace weft
