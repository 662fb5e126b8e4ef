// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An order of all arcs, which keeps the channel dependency graph of a layer acyclic: a packet may
// continue from an arc only to a later arc. The first order has the up arcs before the down arcs of
// the escape tree. It is then improved arc by arc: each arc is moved to the position that allows
// the most valuable turns ("sifting"). An order that does not keep the turns of the escape tree is
// used only if it connects all switches to the destinations.
//
// The published algorithm (see nue.h) searches paths in the complete channel dependency graph, and
// the paths found first determine which dependencies are usable. Here a topological order
// determines the usable dependencies before the search for paths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/escape.h"

namespace weft::nue {

/// By arc: its place. A permutation.
using Order = std::vector<std::uint32_t>;

/// The order of up*/down*. Up is toward a switch that is earlier in the sequence of the escape
/// tree.
Order up_down_order(const Arcs& arcs, const Escape& escape);

/// The data that path searches read for an arc into a switch.
struct Incoming {
  std::uint32_t tail;
  std::uint32_t place;  // place in the order
  std::uint32_t arc;
};

/// An order, with the data for path searches.
struct Ranking {
  Ranking() = default;
  Ranking(const Arcs& arcs, Order order);

  Order order;
  std::vector<Incoming> incoming;  // by the reverse arc, so that arcs into a switch are consecutive
  std::vector<std::uint32_t> arcs;  // earliest first
};

/// True if the order connects all switches of each part to the destinations. Orders of up*/down*
/// always do; other orders must be checked.
bool connects(const Arcs& arcs, const Ranking& ranking,
              std::span<const std::uint32_t> destinations);

/// By turn (Arcs::turn): the value of the turn if it is allowed.
using TurnWeights = std::vector<std::uint64_t>;

/// Improves the order by at most `sweeps` passes over all arcs. Random noise, in units of the mean
/// weight of a turn, decreases from pass to pass and lets the search leave local optima. Turns
/// between arcs in `needed` (by arc: Escape::needed) stay allowed.
void sift(const Arcs& arcs, std::span<const std::uint8_t> needed,
          std::span<const std::uint64_t> weights, unsigned sweeps, double noise, Rng& rng,
          Order& order);

}  // namespace weft::nue
