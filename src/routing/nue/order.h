// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An order of all arcs, which keeps the channel dependency graph of a layer acyclic: a packet may
// continue from an arc only to a later one. The order starts as up before down along the escape
// tree and is then improved arc by arc, each moved to the position that allows the most valuable
// turns ("sifting"). The turns of the escape tree are always allowed.
//
// This is the complete channel dependency graph of the paper with a topological order of the usable
// part, chosen before paths are searched instead of by the paths found first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/escape.h"

namespace weft::nue {

/// By arc, a permutation.
using Order = std::vector<std::uint32_t>;

/// Up*/down*: up is toward a switch that is earlier in the sequence of the escape tree.
Order up_down_order(const Arcs& arcs, const Escape& escape);

/// What path searches read of an arc into a switch.
struct Incoming {
  std::uint32_t tail;
  std::uint32_t place;  // in the order
  std::uint32_t arc;
};

/// An order in the form for path searches.
struct Ranking {
  Ranking() = default;
  Ranking(const Arcs& arcs, Order order);

  Order order;
  std::vector<Incoming> incoming;   // by the reverse: arcs into a switch are consecutive
  std::vector<std::uint32_t> arcs;  // earliest first
};

/// Are the destinations reachable from all switches connected to them? Always with up*/down*; other
/// orders have to be checked.
bool connects(const Arcs& arcs, const Ranking& ranking,
              std::span<const std::uint32_t> destinations);

/// By turn (Arcs::turn): the value of allowing it.
using TurnWeights = std::vector<std::uint64_t>;

/// Improves the order by `sweeps` passes over all arcs. Noise, which decreases from pass to pass
/// and is in units of the mean weight of a turn, leads out of local optima. Turns between needed
/// arcs (by arc: Escape::needed) stay allowed.
void sift(const Arcs& arcs, std::span<const std::uint8_t> needed,
          std::span<const std::uint64_t> weights, unsigned sweeps, double noise, Rng& rng,
          Order& order);

}  // namespace weft::nue
