// Clusters of switches that are cabled densely to each other: groups of a dragonfly, or the parts
// of any graph that are best drawn as one.
#pragma once

#include <cstdint>
#include <vector>

#include "report/switch_graph.h"

namespace weft {

struct Clusters {
  std::vector<std::uint32_t> of;  // by switch, numbered in order of the least switch of each
  std::uint32_t count = 0;
};

/// Switches move to the cluster that raises modularity most until none does, then whole clusters
/// do. Cables count more where their ends have common neighbours or lie on squares together.
/// Source: Blondel et al., "Fast unfolding of communities in large networks", 2008.
Clusters find_clusters(const SwitchGraph& graph);

}  // namespace weft
