// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The DAG of all shortest paths to a destination: the candidates of engines such as minhop, sssp
// and dfsssp.
#pragma once

#include <cstdint>
#include <span>

#include "routing/shapes/hop_dag.h"

namespace weft {

/// Searches breadth first from the destination. Cables are bidirectional, so the hops from the
/// destination equal the hops to the destination. `heads` are channel_heads(fabric). With `ranks`,
/// by channel, each switch keeps only its next hops of least rank. On a mesh with dimensions as
/// ranks, the result is dimension order.
void make_shortest_dag(const Fabric& fabric, std::span<const std::uint32_t> heads,
                       SwitchId destination, HopDag& dag, std::span<const std::uint8_t> ranks = {});

}  // namespace weft
