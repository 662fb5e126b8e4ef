// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Clusters of densely cabled switches: groups of a dragonfly, or the parts of any graph that are
// best drawn as one.
#pragma once

#include <cstdint>
#include <vector>

#include "report/switch_graph.h"

namespace weft {

struct Clusters {
  std::vector<std::uint32_t> of;  // by switch, numbered in order of the least switch of each
  std::uint32_t count = 0;
};

/// Moves switches to the cluster that raises modularity most until no move does, then whole
/// clusters. Cables weigh more if their ends have common neighbours or lie on common squares.
/// Source: Blondel et al., "Fast unfolding of communities in large networks", 2008.
Clusters find_clusters(const SwitchGraph& graph);

}  // namespace weft
