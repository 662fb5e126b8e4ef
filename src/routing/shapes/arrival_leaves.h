// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The leaf of each group of a dragonfly+ at which packets that enter the group turn from down to up
// (routing/dfp/spine_turns.h).
#pragma once

#include <vector>

#include "fabric/aggregation.h"
#include "routing/topology.h"

namespace weft {

/// By group: the leaf with the most cables to spines.
inline std::vector<SwitchId> arrival_leaves(const Fabric& fabric, const SwitchGroups& groups) {
  std::vector<SwitchId> leaves(groups.size.size(), kNoSwitch);
  std::vector<std::size_t> most(groups.size.size(), 0);
  const std::vector<bool> is_leaf = leaf_switches(fabric);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const std::size_t spines = fabric.channels_from(SwitchId(s)).size();
    if (!is_leaf[s] || spines <= most[groups.of[s]]) continue;
    most[groups.of[s]] = spines;
    leaves[groups.of[s]] = SwitchId(s);
  }
  return leaves;
}

}  // namespace weft
