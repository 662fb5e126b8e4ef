// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A shortest path for every pair of switches, both directions on the same of a few deadlock-free
// layers. Used by lash.
//
// All layers but the last have an order of the switches (switch_orders.h): whether a layer can take
// a path depends on its first turn and on the layers of the remaining path, so no search for cycles
// is necessary. Pairs are processed by distance, nearest first, each with the cheapest paths of
// both directions that fit one layer, where the cost of a path is the number of flows on it. Paths
// that are the reverse of each other are preferred, because a layer that fits one fits both. The
// few pairs that fit no order are put on the last layer, where each added path is checked for
// cycles; finally other pairs that fit this layer are moved to it for balance.
//
// For fabrics with short paths; few long paths agree with an order.
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

  unsigned count = 0;               // layers, 2 or more
  std::vector<std::uint32_t> next;  // the trunk toward each switch, row by destination; or kNoTrunk
  std::vector<std::uint8_t> layers;  // by pair of switches, symmetric
};

enum class LayerOrders {
  kRandom,       // for fabrics of short paths
  kAroundRoots,  // for fabrics of long paths: SwitchOrders::around_roots
};

/// Tries numbers of layers from `layers_least` up; empty if more than `layers_max` are necessary.
/// Pairs of equal distance are processed in the order of their switches in `order`. Memory: 17
/// bytes for each pair of switches.
/// `distances`: of this fabric and order; computed at the first use.
std::optional<LayeredPairs> layer_pairs(const Fabric& fabric, const Turns& turns,
                                        const Trunks& trunks, std::span<const Destination> order,
                                        LayerOrders kind, unsigned layers_least,
                                        unsigned layers_max, unsigned threads,
                                        std::optional<layering::Distances>& distances);

}  // namespace weft
