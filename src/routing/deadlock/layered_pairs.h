// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A shortest path for every pair of switches, on a few deadlock-free layers. Both directions of a
// pair have the same layer. Used by lash.
//
// All layers but the last one or two have an order of the switches (switch_orders.h). Whether a
// path fits on such a layer depends on its first turn and on the layers of the remaining path, so
// no search for cycles is necessary. Pairs are processed by distance, nearest first. Each pair uses
// the paths of both directions that fit on one layer and have the least cost; the cost of a path is
// the sum of the loads of its trunks. With orders around roots, paths that fit on the first layers
// have precedence over paths of less cost. Paths that are the reverse of each other are preferred,
// because both fit on the same layers. The few pairs that agree with no order are put on the last
// layers, where each added path is checked for cycles. At the end, other pairs that fit on the last
// layers are moved for balance.
//
// Random orders are for fabrics with short paths, because few long paths agree with a random order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/deadlock/pair_distances.h"
#include "routing/deadlock/turns.h"
#include "routing/shapes/trunks.h"
#include "routing/tables/destinations.h"

namespace weft {

struct LayeredPairs {
  static constexpr std::uint32_t kNoTrunk = 0xFFFFFFFF;

  unsigned count = 0;               // number of layers; of layer_pairs(): 2 or more
  std::vector<std::uint32_t> next;  // the trunk toward each switch, row by destination; or kNoTrunk
  std::vector<std::uint8_t> layers;  // layer by pair of switches, symmetric
};

enum class LayerOrders {
  kRandom,       // for fabrics of short paths
  kAroundRoots,  // for fabrics of long paths: SwitchOrders::around_roots
};

/// Tries numbers of layers from `layers_least` up; nullopt if more than `layers_max` are necessary.
/// Pairs of equal distance are processed in blocks by the positions of their switches in `order`.
/// Memory: 17 bytes for each pair of switches. `distances`: of this fabric and order; computed at
/// the first use.
std::optional<LayeredPairs> layer_pairs(const Fabric& fabric, const Turns& turns,
                                        const Trunks& trunks, std::span<const Destination> order,
                                        LayerOrders kind, unsigned layers_least,
                                        unsigned layers_max, unsigned threads,
                                        std::optional<layering::Distances>& distances);

}  // namespace weft
