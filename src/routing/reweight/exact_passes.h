// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Passes over the trees of layers with exact dependencies (layer_graphs.h), one tree after the
// other.
#pragma once

#include <vector>

#include "routing/reweight/arc_costs.h"
#include "routing/reweight/forest.h"
#include "routing/reweight/layer_graphs.h"
#include "routing/reweight/tree_moves.h"
#include "routing/reweight/turn_loads.h"

namespace weft::reweight {

class ExactPasses {
 public:
  /// Keeps references to all arguments. `costs` and `turns` are those of the forest, and the paths
  /// of its trees are in `layers`.
  ExactPasses(Forest& forest, const CandidateStore& candidates, ArcCosts& costs, TurnLoads& turns,
              LayerGraphs& layers)
      : forest_(forest),
        store_(candidates),
        costs_(costs),
        turn_loads_(turns),
        layers_(layers),
        moves_(forest.arcs, turns),
        refused_(forest.steps.size(), 0) {}

  /// Runs one pass over all trees. Returns false if no tree changed.
  bool run();

 private:
  Forest& forest_;
  const CandidateStore& store_;
  ArcCosts& costs_;
  TurnLoads& turn_loads_;
  LayerGraphs& layers_;
  TreeMoves moves_;
  std::uint32_t pass_ = 1;
  /// By group, then by switch: the last pass in which the layers refused a move. The next pass does
  /// not repeat the search for cycles, which would probably have the same result.
  std::vector<std::uint32_t> refused_;
};

}  // namespace weft::reweight
