// Tables, and one layer (a virtual lane) for all paths between two switches, there and back, such
// that the layers are free of deadlock: a reply has the SL of what it answers. What lash is made
// of, and dfsssp where paths that were chosen for balance alone do not fit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routes/lfts.h"
#include "routing/shared/destinations.h"
#include "routing/shared/turns.h"

namespace weft {

struct PairLayers {
  Lfts lfts;
  unsigned count = 1;
  std::vector<std::uint8_t> of_pair;  // row by row, symmetric
};

/// On no more than `layers` if that goes, else on so many as are needed; nothing beyond
/// LanedTrees::kLanesMax. All LIDs behind a switch go over the same switches. Those of `order`,
/// which has each switch once, choose first. What fits first is taken: meshes in dimension order,
/// regular fabrics by load alone, then whatever needs fewest layers of pairs laid by orders of
/// switches (layered_pairs.h) and trees laid one after the other (laned_trees.h).
std::optional<PairLayers> make_pair_layers(const Fabric& fabric, const Turns& turns,
                                           std::span<const Destination> order, unsigned layers,
                                           unsigned threads);

}  // namespace weft
