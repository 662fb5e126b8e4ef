// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/lane_plan.h"

#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "routing/nue/layer.h"

namespace weft::nue {
namespace {

constexpr std::uint32_t kPlannedSwitchesMost = 4096;
constexpr unsigned kRounds = 3;
constexpr unsigned kFewLanes = 3;  // with so few lanes one root may be better
constexpr std::uint64_t kFewUnconnected =
    400;  // 1 in 400 pairs without a shortest path is negligible

/// The orders of up*/down* by the escape tree. Each lane has another root, since loads concentrate
/// near roots.
std::vector<Ranking> first_orders(const Arcs& arcs, std::span<const std::uint32_t> weight,
                                  const Escape& escape, unsigned lanes, const Rng& rng) {
  std::vector<std::uint32_t> all(arcs.switches);
  std::iota(all.begin(), all.end(), 0u);
  const auto central = central_first(arcs, weight, betweenness(arcs, all));
  std::vector<Ranking> rankings;
  rankings.emplace_back(arcs, up_down_order(arcs, escape));
  for (unsigned l = 1; l < lanes; ++l) {
    auto roots = central;
    if (!roots.empty()) std::swap(roots.front(), roots[l * roots.size() / lanes]);
    Rng own = rng.fork(l);
    const Escape tree = rerooted(arcs, escape, roots, own.permutation(arcs.switches));
    rankings.emplace_back(arcs, up_down_order(arcs, tree));
  }
  return rankings;
}

/// If nearly all pairs are settled, settles the pairs again with the lowest `enough` of
/// assign_pair_lanes() that leaves nearly all pairs settled. A lower number gives a more even load.
void even_out(const Arcs& arcs, std::span<const std::uint32_t> weight, unsigned enough,
              unsigned threads, LanePlan& plan) {
  const std::uint64_t sent = std::accumulate(weight.begin(), weight.end(), std::uint64_t{0});
  const auto is_few = [&](std::uint64_t open) { return open * kFewUnconnected <= sent * sent; };
  for (unsigned fewer = 1; fewer < enough && is_few(plan.pairs.open); ++fewer) {
    PairLanes balanced =
        assign_pair_lanes(arcs, plan.orders, plan.pairs.lane, weight, fewer, threads);
    if (!is_few(balanced.open)) continue;
    plan.pairs = std::move(balanced);
    return;
  }
}

}  // namespace

bool fits_pairs(const Arcs& arcs) { return arcs.switches <= kPlannedSwitchesMost; }

std::vector<std::uint8_t> lanes_of_groups(std::span<const std::uint32_t> group, unsigned lanes) {
  std::vector<std::uint8_t> lane;
  lane.reserve(group.size() * group.size());
  for (const std::uint32_t a : group)
    for (const std::uint32_t b : group) lane.push_back(static_cast<std::uint8_t>((a + b) % lanes));
  return lane;
}

LanePlan plan_lanes(const Arcs& arcs, std::span<const std::uint32_t> weight, const Escape& escape,
                    std::vector<std::uint8_t> preferred, unsigned lanes, unsigned threads,
                    const Rng& rng) {
  std::vector<std::uint32_t> all(arcs.switches);
  std::iota(all.begin(), all.end(), 0u);
  const auto needed = escape.needed(arcs, all);
  const unsigned enough = (lanes + 1) / 2;
  const auto next_round = [&](unsigned round, std::span<const std::uint8_t> demand,
                              std::vector<Ranking>& rankings) {
    parallel_for(lanes, threads, [&](std::size_t i) {
      rankings[i] =
          improve_order({demand, static_cast<std::uint8_t>(i)}, arcs, weight, needed, round == 0, 1,
                        rng.fork((round + 1) * std::size_t{lanes} + i), std::move(rankings[i]));
    });
    LanePlan plan{LaneOrders(arcs, rankings), {}};
    plan.pairs = assign_pair_lanes(arcs, plan.orders, demand, weight, enough, threads);
    return plan;
  };
  auto rankings = first_orders(arcs, weight, escape, lanes, rng);
  std::vector<Ranking> of_one_root(lanes, rankings.front());
  LanePlan best = next_round(0, preferred, rankings);
  if (lanes <= kFewLanes) {
    LanePlan plan = next_round(0, preferred, of_one_root);
    if (plan.pairs.open < best.pairs.open) {
      best = std::move(plan);
      rankings = std::move(of_one_root);
    }
  }
  preferred = best.pairs.demand;
  for (unsigned round = 1; round < kRounds && best.pairs.open > 0; ++round) {
    LanePlan plan = next_round(round, preferred, rankings);
    preferred = plan.pairs.demand;
    if (plan.pairs.open < best.pairs.open) best = std::move(plan);
  }
  even_out(arcs, weight, enough, threads, best);
  return best;
}

}  // namespace weft::nue
