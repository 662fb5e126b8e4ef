// The DAG of all shortest ways to a destination: what minhop, sssp, dfsssp and lash choose from.
#pragma once

#include <cstdint>
#include <span>

#include "routing/shared/hop_dag.h"

namespace weft {

/// Breadth first from the destination; cables go both ways, so hops to it are hops from it.
/// `heads` are channel_heads(fabric). With ranks, by channel, a switch has only those of its ways
/// that are of least rank: on a mesh with dimensions for ranks, dimension order.
void make_shortest_ways(const Fabric& fabric, std::span<const std::uint32_t> heads,
                        SwitchId destination, HopDag& dag,
                        std::span<const std::uint8_t> ranks = {});

}  // namespace weft
