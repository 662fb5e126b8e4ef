// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/order.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "routing/nue/mover.h"

namespace weft::nue {
namespace {

/// The value of a set of turns is the sum of their weights.
class Weights {
 public:
  explicit Weights(std::span<const std::uint64_t> weights) : weights_(weights) {}

  bool matters(std::size_t turn) const { return weights_.data()[turn] > 0; }
  void weigh(std::span<const Neighbor> neighbors, std::size_t, std::size_t, std::size_t,
             std::span<std::int64_t> gains) const {
    gains[0] = 0;
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      const auto worth = static_cast<std::int64_t>(weights_.data()[neighbors[i].turn]);
      gains[i + 1] = gains[i] + (neighbors[i].before ? worth : -worth);
    }
  }
  void moved(std::span<const Neighbor>, std::size_t, std::size_t) const {}

 private:
  std::span<const std::uint64_t> weights_;
};

}  // namespace

Order up_down_order(const Arcs& arcs, const Escape& escape) {
  Order order(arcs.count());
  std::vector<std::uint32_t> place(arcs.switches);
  for (std::uint32_t i = 0; i < arcs.switches; ++i) place[escape.sequence[i]] = i;
  std::uint32_t next = 0;
  const auto number = [&](std::uint32_t sw, bool up) {
    for (std::uint32_t a = arcs.begin[sw]; a < arcs.begin[sw + 1]; ++a)
      if ((place[arcs.head[a]] < place[sw]) == up) order[a] = next++;
  };
  for (std::uint32_t i = arcs.switches; i-- > 0;) number(escape.sequence[i], true);
  for (const std::uint32_t sw : escape.sequence) number(sw, false);
  return order;
}

Ranking::Ranking(const Arcs& graph, Order places)
    : order(std::move(places)), incoming(graph.count()), arcs(graph.count()) {
  for (std::uint32_t a = 0; a < graph.count(); ++a) {
    const std::uint32_t in = graph.reverse[a];
    incoming[a] = {graph.head[a], order[in], in};
    arcs[order[a]] = a;
  }
}

bool connects(const Arcs& arcs, const Ranking& ranking,
              std::span<const std::uint32_t> destinations) {
  // By switch: a bit for each destination that is reachable by the arcs processed so far, latest
  // first.
  const std::size_t words = (destinations.size() + 63) / 64;
  std::vector<std::uint64_t> reach(words * arcs.switches, 0);
  for (std::size_t d = 0; d < destinations.size(); ++d)
    reach[destinations[d] * words + d / 64] |= std::uint64_t{1} << (d % 64);
  for (std::size_t i = ranking.arcs.size(); i-- > 0;) {
    const std::uint32_t arc = ranking.arcs[i];
    std::uint64_t* const from = reach.data() + arcs.tail[arc] * words;
    const std::uint64_t* const to = reach.data() + arcs.head[arc] * words;
    for (std::size_t w = 0; w < words; ++w) from[w] |= to[w];
  }
  std::uint64_t pairs = 0;
  for (const std::uint32_t destination : destinations) pairs += arcs.part_size[destination];
  for (const std::uint64_t word : reach) pairs -= static_cast<unsigned>(std::popcount(word));
  return pairs == 0;
}

void sift(const Arcs& arcs, std::span<const std::uint8_t> needed,
          std::span<const std::uint64_t> weights, unsigned sweeps, double noise, Rng& rng,
          Order& order) {
  std::uint64_t sum = 0;
  std::uint64_t turns = 0;
  for (const std::uint64_t weight : weights) {
    sum += weight;
    turns += weight > 0 ? 1 : 0;
  }
  if (turns == 0) return;
  const double mean = static_cast<double>(sum) / static_cast<double>(turns);
  Weights turn_values(weights);
  Mover mover(arcs, needed, turn_values, order);
  for (unsigned i = 0; i < sweeps; ++i) {
    const double fading = static_cast<double>(sweeps - 1 - i) / sweeps;
    const auto most = static_cast<std::int64_t>(noise * fading * mean);
    if (!mover.sweep(most, rng) && most == 0) return;
  }
}

}  // namespace weft::nue
