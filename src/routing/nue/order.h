// An order of all arcs, which keeps the channel dependency graph of a layer acyclic: a packet may
// go on from an arc only by a later one. The order starts as up before down along the escape tree
// and is then bettered arc by arc, each moved to where the most wanted turns are allowed
// ("sifting"). The turns of the escape tree are allowed at all times.
//
// This is the complete channel dependency graph of the paper with a topological order of the part
// that may be used, chosen before paths are searched instead of by the paths that happen to come
// first.
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

/// An order as those read it who search for ways.
struct Ranking {
  Ranking() = default;
  Ranking(const Arcs& arcs, Order order);

  Order order;
  Order back;                       // by arc the place of its reverse
  std::vector<std::uint32_t> arcs;  // earliest first
};

/// May packets get to the destinations from all that is connected to them? Up*/down* lets them;
/// other orders have to be asked.
bool connects(const Arcs& arcs, const Ranking& ranking,
              std::span<const std::uint32_t> destinations);

/// By turn (Arcs::turn): how much it is worth that packets may take it.
using TurnWeights = std::vector<std::uint64_t>;

/// Betters the order by `sweeps` passes over all arcs. Noise, which fades from pass to pass and is
/// measured in mean weights of a turn, helps out of places that are only locally best. Turns
/// between arcs that are needed (by arc: Escape::needed) stay allowed.
void sift(const Arcs& arcs, std::span<const std::uint8_t> needed,
          std::span<const std::uint64_t> weights, unsigned sweeps, double noise, Rng& rng,
          Order& order);

}  // namespace weft::nue
