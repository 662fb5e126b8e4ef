// A virtual layer: some of the destinations, and an order of all arcs made for them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/escape.h"
#include "routing/nue/order.h"

namespace weft::nue {

struct Layer {
  Escape escape;
  Order order;
  Order back;  // places_back of the order
};

/// `weight` is by switch, what endports there send and are sent. Equal for any number of threads.
Layer make_layer(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> destinations, unsigned threads, Rng rng);

}  // namespace weft::nue
