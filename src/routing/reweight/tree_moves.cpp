// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/tree_moves.h"

#include <algorithm>

namespace weft::reweight {

bool follows(const Arcs& arcs, const HopDag& dag, std::span<const std::uint8_t> tree) {
  for (const HopDag::Group& group : dag.groups())
    for (std::uint32_t m = group.begin; m < group.end; ++m) {
      const HopDag::Member& member = dag.members()[m];
      if (tree[member.sw] == kNoStep) return false;
      const auto candidates = dag.channels(group, member);
      if (std::ranges::find(candidates, arc_of(arcs, tree, member.sw)) == candidates.end())
        return false;
    }
  return true;
}

}  // namespace weft::reweight
