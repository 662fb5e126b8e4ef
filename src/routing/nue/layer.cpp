#include "routing/nue/layer.h"

#include <algorithm>
#include <utility>

#include "routing/nue/escape.h"
#include "routing/nue/pairs.h"
#include "routing/nue/trials.h"

namespace weft::nue {
namespace {

constexpr std::size_t kGlance = 8;  // destinations that show whether all shortest paths are allowed
constexpr std::size_t kSample = 32;  // and which start is better
constexpr double kSettleNoise = 2;
constexpr unsigned kRounds = 1;
constexpr unsigned kSweeps = 4;
constexpr unsigned kFirstSweeps = 6;
constexpr double kFirstNoise = 2;

/// Betters an order of the escape tree by counting pairs. The tree is rarely in need of being kept,
/// and more can be had without.
Ranking better_by_pairs(const Arcs& arcs, std::span<const std::uint32_t> destinations,
                        const Escape& escape, Pairs& pairs, Rng& rng, Ranking ranking) {
  for (const bool keep : {false, true}) {
    if (keep) pairs.keep(escape.needed(arcs, destinations));
    Order order = ranking.order;
    if (!settle(pairs, kSettleNoise, rng, order)) return ranking;
    Ranking settled(arcs, std::move(order));
    if (connects(arcs, settled, destinations)) return settled;
  }
  return ranking;
}

/// Betters an order by weights of turns: first toward all shortest paths, then toward those that
/// can be had. Keeps the one that costs least.
Ranking better_by_weights(const Arcs& arcs, const Trials& trials,
                          std::span<const std::uint8_t> needed, Rng& rng, Ranking best) {
  double least = trials.cost(trials.run(best, Want::kUsed));
  Order order = best.order;
  Trial trial = trials.run(best, Want::kShortest);
  sift(arcs, needed, trial.wanted, kFirstSweeps, kFirstNoise, rng, order);
  for (unsigned round = 0; round <= kRounds; ++round) {
    Ranking ranking(arcs, order);
    trial = trials.run(ranking, Want::kUsed);
    if (const double cost = trials.cost(trial); cost < least) {
      least = cost;
      best = std::move(ranking);
    }
    if (round < kRounds) sift(arcs, needed, trial.wanted, kSweeps, 0, rng, order);
  }
  return best;
}

/// Does it allow every shortest path?
bool full(const Trials& trials, const Ranking& ranking) {
  const std::size_t stride = trials.destinations().size() / kGlance + 1;
  return trials.run(ranking, Want::kNothing, stride).full &&
         trials.run(ranking, Want::kNothing).full;
}

}  // namespace

Ranking make_layer(const Arcs& arcs, std::span<const std::uint32_t> weight,
                   std::span<const std::uint32_t> destinations, unsigned threads, Rng rng) {
  std::vector<std::uint32_t> targets;
  for (const std::uint32_t d : destinations)
    if (weight[d] > 0) targets.push_back(d);
  const auto roots = central_first(arcs, weight, betweenness(arcs, targets));
  const Trials trials(arcs, weight, std::move(targets), threads);
  Escape escape = breadth_first(arcs, roots);
  Ranking ranking(arcs, up_down_order(arcs, escape));
  if (full(trials, ranking)) return ranking;

  Escape dense = densest_first(arcs, roots);
  Ranking denser(arcs, up_down_order(arcs, dense));
  Pairs pairs(arcs, weight, trials.destinations());
  if (pairs.complete()) {
    pairs.start(ranking.order);
    const std::int64_t lost = pairs.lost();
    pairs.start(denser.order);
    if (pairs.lost() < lost) {
      std::swap(ranking, denser);
      std::swap(escape, dense);
    }
    return better_by_pairs(arcs, destinations, escape, pairs, rng, std::move(ranking));
  }
  const std::size_t stride = trials.destinations().size() / kSample + 1;
  if (trials.run(denser, Want::kNothing, stride).detoured <
      trials.run(ranking, Want::kNothing, stride).detoured) {
    std::swap(ranking, denser);
    std::swap(escape, dense);
  }
  return better_by_weights(arcs, trials, escape.needed(arcs, destinations), rng,
                           std::move(ranking));
}

}  // namespace weft::nue
