// A virtual layer: some of the destinations, and an order of all arcs made for them.
#pragma once

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/order.h"

namespace weft::nue {

struct Layer {
  Ranking ranking;       // connects all that is connected
  bool full = false;     // every shortest path to a destination with a weight is allowed
  bool crowded = false;  // detours crowd near the root of the escape tree
};

/// An order with as few detours to the destinations as can be had. `weight` is by switch, what
/// endports there send and are sent. Equal for any number of threads.
Layer make_layer(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> destinations, unsigned threads, Rng rng);

}  // namespace weft::nue
