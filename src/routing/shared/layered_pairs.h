// A shortest path for every pair of switches, both ways on one of a few layers that are free of
// deadlock. What lash is made of.
//
// All layers but the last have an order of the switches (switch_orders.h): which of them may have a
// path is told by its first turn and by those that may have the rest of it, without a search for
// cycles. Pairs are taken by distance, nearest first, each with the cheapest ways there and back
// that a layer can both have, where a way costs the flows that it meets; best are those of which
// one is the other backward, because what one layer may have of one it may have of both. The few
// pairs that no order fits lie on the last layer, which is kept free of cycles path by path; in the
// end others that agree with it join them.
//
// Fits fabrics of short paths. Of long ones hardly any agrees with an order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "routing/shared/destinations.h"
#include "routing/shared/trunks.h"
#include "routing/shared/turns.h"

namespace weft {

struct LayeredPairs {
  static constexpr std::uint32_t kNoWay = 0xFFFFFFFF;

  unsigned count = 0;                // layers, 2 or more
  std::vector<std::uint32_t> next;   // the trunk toward each switch, row by destination; or kNoWay
  std::vector<std::uint8_t> layers;  // by pair of switches, symmetric
};

enum class LayerOrders {
  kRandom,       // of fabrics of short paths
  kAroundRoots,  // of long ones: SwitchOrders::around_roots
};

/// On the fewest layers from `layers_least` on that do; nothing where that takes more than
/// `layers_max`. Of pairs that are as far apart those of switches that come first in `order` choose
/// first. Memory: 17 bytes a pair of switches.
std::optional<LayeredPairs> layer_pairs(const Fabric& fabric, const Turns& turns,
                                        const Trunks& trunks, std::span<const Destination> order,
                                        LayerOrders kind, unsigned layers_least,
                                        unsigned layers_max, unsigned threads);

}  // namespace weft
