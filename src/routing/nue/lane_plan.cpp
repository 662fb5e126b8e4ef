#include "routing/nue/lane_plan.h"

#include <numeric>
#include <utility>

#include "base/parallel.h"
#include "routing/nue/layer.h"

namespace weft::nue {
namespace {

constexpr std::uint32_t kSwitchesMost = 4096;
constexpr unsigned kRounds = 3;

}  // namespace

bool fits_pairs(const Arcs& arcs) { return arcs.switches <= kSwitchesMost; }

std::vector<std::uint8_t> lanes_of_groups(std::span<const std::uint32_t> group, unsigned lanes) {
  std::vector<std::uint8_t> lane;
  lane.reserve(group.size() * group.size());
  for (const std::uint32_t a : group)
    for (const std::uint32_t b : group) lane.push_back(static_cast<std::uint8_t>((a + b) % lanes));
  return lane;
}

LanePlan plan_lanes(const Arcs& arcs, std::span<const std::uint32_t> weight, const Escape& escape,
                    std::vector<std::uint8_t> wish, unsigned lanes, unsigned threads,
                    const Rng& rng) {
  std::vector<std::uint32_t> all(arcs.switches);
  std::iota(all.begin(), all.end(), 0u);
  const auto needed = escape.needed(arcs, all);
  std::vector<Ranking> rankings(lanes, Ranking(arcs, up_down_order(arcs, escape)));
  LanePlan best;
  for (unsigned round = 0; round < kRounds; ++round) {
    parallel_for(lanes, threads, [&](std::size_t i) {
      const Demand demand{wish, static_cast<std::uint8_t>(i)};
      rankings[i] = better_for(demand, arcs, weight, needed, round == 0, 1,
                               rng.fork(round * std::size_t{lanes} + i), std::move(rankings[i]));
    });
    LanePlan plan{LaneOrders(arcs, rankings), {}};
    plan.pairs = settle_pairs(arcs, plan.orders, wish, weight, threads);
    wish = plan.pairs.demand;
    if (round == 0 || plan.pairs.open < best.pairs.open) best = std::move(plan);
    if (best.pairs.open == 0) break;
  }
  return best;
}

}  // namespace weft::nue
