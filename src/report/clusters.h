// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Clusters of densely cabled switches: the groups of a dragonfly, or parts of another graph that
// can be drawn as one unit.
#pragma once

#include <cstdint>
#include <vector>

#include "report/switch_graph.h"

namespace weft {

struct Clusters {
  std::vector<std::uint32_t> of;  // cluster by switch, numbered in the order of the lowest switch
  std::uint32_t count = 0;
};

/// Moves each switch to the cluster that increases modularity most, until no move increases it or a
/// limit of passes is reached; then moves whole clusters in the same manner. Cables have a higher
/// weight if they belong to triangles or squares. Source: Blondel et al., "Fast unfolding of
/// communities in large networks", 2008.
Clusters find_clusters(const SwitchGraph& graph);

}  // namespace weft
