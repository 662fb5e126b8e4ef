// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A layer: an order of all arcs, for some of the destinations or for the pairs of one virtual lane.
#pragma once

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/demand.h"
#include "routing/nue/order.h"
#include "routing/nue/start.h"

namespace weft::nue {

struct Layer {
  Ranking ranking;       // keeps all connected switches reachable
  bool full = false;     // every shortest path to a destination with a weight is allowed
  bool crowded = false;  // detours use mostly links near the root of the escape tree
};

/// An order with as few detours to the destinations as the search finds. `weight` is by switch, the
/// send and receive weight of its endports. The result is equal for any number of threads.
Layer make_layer(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> destinations, unsigned threads, Rng rng);

/// The escape tree from which the search for a layer of all destinations starts.
Start start_for_all(const Arcs& arcs, std::span<const std::uint32_t> weight, unsigned threads,
                    const Rng& rng);

/// Number of pairs of endports without a shortest path.
std::uint64_t detours(const Arcs& arcs, std::span<const std::uint32_t> weight,
                      const Ranking& ranking, unsigned threads);

/// An order that is at least as good as `ranking` for the pairs in demand, and keeps the turns
/// between arcs in `needed` (by arc). `first`: the order was not computed for these pairs before.
Ranking improve_order(const Demand& demand, const Arcs& arcs, std::span<const std::uint32_t> weight,
                      std::span<const std::uint8_t> needed, bool first, unsigned threads, Rng rng,
                      Ranking ranking);

}  // namespace weft::nue
