// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/exact_passes.h"

#include <vector>

namespace weft::reweight {
namespace {

// Moves must reduce the cost by the part 1 / kExactLeastGain: moves with smaller gains make regular
// paths irregular, which reduces the effective bisection bandwidth of tori.
constexpr unsigned kExactLeastGain = 16;

}  // namespace

bool ExactPasses::run() {
  ++pass_;
  bool any = false;
  HopDag scratch;
  std::vector<std::uint8_t> before;
  for (std::size_t g = 0; g < forest_.groups.size(); ++g) {
    costs_.measure();
    const HopDag& dag = store_.of(g, scratch);
    before.assign(forest_.tree(g).begin(), forest_.tree(g).end());
    const bool changed = moves_.improve(
        dag, forest_.weights[g], kExactLeastGain, forest_.tree(g), costs_,
        [&] { layers_.begin(g, dag); },
        [&](std::uint32_t sw, std::uint32_t arc) {
          std::uint32_t& refused = refused_[g * forest_.arcs.switches() + sw];
          if (refused + 1 == pass_) return false;
          const bool moved = layers_.move(sw, arc);
          if (!moved) refused = pass_;
          return moved;
        },
        [&](std::uint32_t sw) { layers_.moved(sw); });
    if (!changed) continue;
    any = true;
    turn_loads_.subtract(dag, before, forest_.weights[g]);
    turn_loads_.add(dag, forest_.tree(g), forest_.weights[g]);
  }
  return any;
}

}  // namespace weft::reweight
