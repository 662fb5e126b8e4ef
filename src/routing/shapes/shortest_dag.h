// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The DAG of all shortest paths to a destination: the candidates of minhop, sssp, dfsssp and lash.
#pragma once

#include <cstdint>
#include <span>

#include "routing/shapes/hop_dag.h"

namespace weft {

/// Breadth first from the destination; cables are bidirectional, so hops from it equal hops to it.
/// `heads` are channel_heads(fabric). With ranks, by channel, each switch keeps only its next hops
/// of least rank: on a mesh with dimensions as ranks, this is dimension order.
void make_shortest_dag(const Fabric& fabric, std::span<const std::uint32_t> heads,
                       SwitchId destination, HopDag& dag, std::span<const std::uint8_t> ranks = {});

}  // namespace weft
