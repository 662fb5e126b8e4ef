// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/layer.h"

#include <algorithm>
#include <utility>

#include "routing/nue/pairs.h"
#include "routing/nue/repair.h"
#include "routing/nue/start.h"
#include "routing/nue/trials.h"

namespace weft::nue {
namespace {

constexpr std::size_t kLayerQuickSample =
    8;  // destinations for testing whether all shortest paths are allowed
constexpr std::size_t kSample = 16;  // destinations for comparing orders and finding the center
constexpr std::size_t kMany = 192;   // destinations for valuing turns
constexpr std::uint64_t kFewDetours = 100;  // 1 in 100 pairs with a detour is negligible
constexpr double kSweepNoise = 2;
constexpr unsigned kSweeps = 4;
constexpr unsigned kFirstSweeps = 2;
constexpr double kFirstNoise = 2;

/// Improves an order of the escape tree by the exact numbers of pairs. The first attempt does not
/// keep the turns of the tree, since they are rarely needed and limit the improvement. If its
/// result does not connect all destinations, the second attempt keeps these turns.
Ranking improve_by_pairs(const Arcs& arcs, std::span<const std::uint32_t> destinations,
                         const Escape& escape, Pairs& pairs, Rng& rng, Ranking ranking) {
  for (const bool keep : {false, true}) {
    if (keep) pairs.keep(escape.needed(arcs, destinations));
    Order order = ranking.order;
    if (!improve_by_sweeps(pairs, kSweepNoise, rng, order)) return ranking;
    Ranking settled(arcs, std::move(order));
    if (connects(arcs, settled, destinations)) return settled;
  }
  return ranking;
}

/// The stride at which a sample has at least `sample` destinations and less than twice as many, or
/// all destinations if there are fewer.
std::size_t stride(std::size_t destinations, std::size_t sample) {
  return std::max<std::size_t>(1, destinations / sample);
}

/// Improves an order by weights of turns, first for all shortest paths. Unless few paths then have
/// detours, improves it again for the paths that the order allows. Returns the order of least cost.
Ranking improve_by_weights(const Arcs& arcs, const Trials& trials,
                           std::span<const std::uint8_t> needed, Rng& rng, Ranking best) {
  const std::size_t count = trials.destinations().size();
  const std::size_t some = stride(count, count < 8 * kSample ? kLayerQuickSample : kSample);
  const std::size_t many = stride(count, kMany);
  const auto measure = [&](const Ranking& ranking) {
    return trials.run(ranking, Measure::kLoads, some);
  };
  double least = trials.cost(measure(best));
  const auto keep_better = [&](const Trial& trial, Ranking ranking) {
    const double cost = trials.cost(trial);
    if (cost >= least) return;
    least = cost;
    best = std::move(ranking);
  };
  Order order = best.order;
  sift(arcs, needed, trials.run(best, Measure::kShortest, many).turn_weights, kFirstSweeps,
       kFirstNoise, rng, order);
  Ranking first(arcs, order);
  const Trial trial = measure(first);
  if (trial.detoured * kFewDetours <= trial.pairs) {
    keep_better(trial, std::move(first));
    return best;
  }
  sift(arcs, needed, trials.run(first, Measure::kUsed, many).turn_weights, kSweeps, 0, rng, order);
  keep_better(trial, std::move(first));
  Ranking second(arcs, order);
  keep_better(measure(second), second);
  return best;
}

/// True if the order allows every shortest path.
bool is_full(const Trials& trials, const Ranking& ranking) {
  return trials
             .run(ranking, Measure::kNothing,
                  stride(trials.destinations().size(), kLayerQuickSample))
             .full &&
         trials.run(ranking, Measure::kNothing).full;
}

std::vector<std::uint32_t> switches_with_weight(std::span<const std::uint32_t> weight) {
  std::vector<std::uint32_t> targets;
  for (std::uint32_t s = 0; s < weight.size(); ++s)
    if (weight[s] > 0) targets.push_back(s);
  return targets;
}

Start start_for(const Arcs& arcs, std::span<const std::uint32_t> weight,
                std::span<const std::uint32_t> targets, unsigned threads, const Rng& rng) {
  std::vector<std::uint32_t> sample;
  for (std::size_t i = 0; i < targets.size(); i += stride(targets.size(), kSample))
    sample.push_back(targets[i]);
  const auto roots = central_first(arcs, weight, betweenness(arcs, sample));
  return best_start(arcs, weight, targets, roots, threads, rng);
}

}  // namespace

Start start_for_all(const Arcs& arcs, std::span<const std::uint32_t> weight, unsigned threads,
                    const Rng& rng) {
  return start_for(arcs, weight, switches_with_weight(weight), threads, rng);
}

std::uint64_t detours(const Arcs& arcs, std::span<const std::uint32_t> weight,
                      const Ranking& ranking, unsigned threads) {
  return Trials(arcs, weight, switches_with_weight(weight), threads)
      .run(ranking, Measure::kNothing)
      .detoured;
}

Ranking improve_order(const Demand& demand, const Arcs& arcs, std::span<const std::uint32_t> weight,
                      std::span<const std::uint8_t> needed, bool first, unsigned threads, Rng rng,
                      Ranking ranking) {
  Pairs pairs(arcs, weight, switches_with_weight(weight), demand);
  if (pairs.is_usable()) {
    pairs.keep({needed.begin(), needed.end()});
    Order order = ranking.order;
    if (improve_by_sweeps(pairs, first ? kSweepNoise : 0, rng, order))
      return Ranking(arcs, std::move(order));
    return ranking;
  }
  const Trials trials(arcs, weight, switches_with_weight(weight), threads, demand);
  return improve_by_weights(arcs, trials, needed, rng, std::move(ranking));
}

Layer make_layer(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> destinations, unsigned threads, Rng rng) {
  std::vector<std::uint32_t> targets;
  for (const std::uint32_t d : destinations)
    if (weight[d] > 0) targets.push_back(d);
  const Start start = start_for(arcs, weight, targets, threads, rng);
  const Trials trials(arcs, weight, std::move(targets), threads);
  Ranking ranking(arcs, up_down_order(arcs, start.escape));
  const bool crowded = start.detours > 0;
  if (!crowded && is_full(trials, ranking)) return {std::move(ranking), true, false};
  Pairs pairs(arcs, weight, trials.destinations());
  if (pairs.is_usable())
    return {improve_by_pairs(arcs, destinations, start.escape, pairs, rng, std::move(ranking)),
            false, crowded};
  ranking = improve_by_weights(arcs, trials, start.escape.needed(arcs, destinations), rng,
                               std::move(ranking));
  return {repair(arcs, trials, destinations, std::move(ranking)), false, crowded};
}

}  // namespace weft::nue
