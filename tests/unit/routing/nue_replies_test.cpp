// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// VLs of nue with replies: a reply uses the SL of its request. So both directions of a pair of
// switches share a VL, and every VL is deadlock-free with the packets of both directions.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "base/check.h"
#include "base/rng.h"
#include "congestion/quality/quality.h"
#include "fabric/generators/spec.h"
#include "routing/nue/lane_orders.h"
#include "routing/nue/lane_paths.h"
#include "routing/nue/lane_plan.h"
#include "routing/nue/layer.h"
#include "routing/nue/layer_assignment.h"
#include "routing/nue/nue.h"
#include "support/fabrics.h"
#include "support/spec_name.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

Routes routed_by_nue(const Fabric& fabric, const RoutingOptions& options) {
  auto routes = route_nue(fabric, options);
  CHECK(routes.has_value());
  return std::move(*routes);
}

/// The routes with the SL of each path replaced by that of the path in the other direction.
Routes with_sls_of_replies(const Fabric& fabric, const Routes& routes) {
  const std::uint32_t switches = fabric.switch_count();
  std::vector<std::uint8_t> table(std::size_t{switches} * switches, 0);
  for (std::uint32_t from = 0; from < switches; ++from)
    for (std::uint32_t to = 0; to < switches; ++to) {
      const Lid lid = fabric.endport(Fabric::endport_of(SwitchId(from))).lid;
      table[std::size_t{from} * switches + to] =
          routes.path_sl.sl(SwitchId(to), SwitchId(from), lid).value();
    }
  Routes replies = routes;
  replies.path_sl = PathSl::by_switch_pair(switches, std::move(table));
  return replies;
}

TEST(NueReplies, CloseCreditLoopsOnlyIfRepliesAreIgnored) {
  for (const char* spec : {"torus:5x5x5", "random:n=32,degree=5,hosts=2,seed=1"}) {
    const Fabric fabric = fabric_of(spec);
    const Routes one_direction =
        routed_by_nue(fabric, {.ignore_replies = true, .parameters = {{kNueVls, 4}}});
    EXPECT_FALSE(verify(fabric, one_direction, {.ignore_replies = true}).has_credit_loop()) << spec;
    EXPECT_TRUE(verify(fabric, with_sls_of_replies(fabric, one_direction), {.ignore_replies = true})
                    .has_credit_loop())
        << spec;
    EXPECT_TRUE(verify(fabric, one_direction).has_credit_loop()) << spec;
    const Routes both = routed_by_nue(fabric, {.parameters = {{kNueVls, 4}}});
    EXPECT_TRUE(verify(fabric, both).ok()) << spec;
    EXPECT_FALSE(verify(fabric, with_sls_of_replies(fabric, both), {.ignore_replies = true})
                     .has_credit_loop())
        << spec;
  }
}

TEST(NueReplies, DoNotChangeRoutesOnOneVl) {
  for (const char* spec : {"torus:4x4,hosts=2", "random:n=32,degree=5,hosts=2,seed=1"}) {
    const Fabric fabric = fabric_of(spec);
    EXPECT_EQ(routed_by_nue(fabric, {.parameters = {{kNueVls, 1}}}),
              routed_by_nue(fabric, {.ignore_replies = true}));
  }
}

/// Routes with replies on n + 1 VLs have at most as many detours as routes for requests only on n
/// VLs, and more than 95% of the effective bisection bandwidth of the routes for requests only.
TEST(NueReplies, CostAtMostOneVl) {
  for (const char* spec : {"random:n=64,degree=6,hosts=2,seed=5", "torus:5x5x5", "hypercube:n=5"}) {
    const Fabric fabric = fabric_of(spec);
    for (const unsigned lanes : {2u, 4u, 7u}) {
      const Quality with =
          assess(fabric, routed_by_nue(fabric, {.parameters = {{kNueVls, lanes + 1}}}), {});
      const Quality without = assess(
          fabric, routed_by_nue(fabric, {.ignore_replies = true, .parameters = {{kNueVls, lanes}}}),
          {});
      EXPECT_LE(with.nonminimal, without.nonminimal) << spec << " lanes " << lanes;
      EXPECT_GT(with.ebb, 0.95 * without.ebb) << spec << " lanes " << lanes;
    }
  }
}

TEST(NueReplies, UseAllVls) {
  const Fabric fabric = fabric_of("random:n=32,degree=5,hosts=2,seed=1");
  const Routes routes = routed_by_nue(fabric, {.parameters = {{kNueVls, 8}}});
  std::vector<unsigned> paths_on_vl(8, 0);
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      if (s != to.sw.value()) ++paths_on_vl[routes.path_sl.sl(SwitchId(s), to.sw, lid).value()];
  });
  for (const unsigned paths : paths_on_vl) EXPECT_GT(paths, 0u);
}

class NueDamaged : public testing::TestWithParam<const char*> {};

/// With any damage and any number of VLs every connected endport is reachable, and requests and
/// replies are deadlock-free.
TEST_P(NueDamaged, EveryVlIsDeadlockFreeWithReplies) {
  const std::string base = GetParam();
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    Rng rng = Rng(seed).fork(std::hash<std::string>{}(base) % 1000);
    std::string spec = base;
    if (base.find("fail=") == std::string::npos) spec += ",fail=" + std::to_string(rng.below(7));
    if (base.find("dead=") == std::string::npos) spec += ",dead=" + std::to_string(rng.below(2));
    if (base.find("seed=") == std::string::npos) spec += ",seed=" + std::to_string(seed);
    spec += ",connected=" + std::to_string(rng.below(2));
    if (!generate(spec)) continue;  // the fabric has fewer cables or switches than are removed
    const auto lmc = static_cast<std::uint8_t>(rng.below(4) == 0 ? 1 : 0);
    const Fabric fabric = fabric_of(spec, lmc);
    const RoutingOptions options{.threads = 1,
                                 .seed = seed,
                                 .parameters = {{kNueVls, static_cast<unsigned>(1 + rng.below(8))},
                                                {kNueSwitches, rng.below(3) == 0}}};
    const std::string replay =
        "weft route '" + spec + "' -R nue --nue_max_num_vls " +
        std::to_string(options.parameters.of(kNueVls)) + " --seed " + std::to_string(seed) +
        (options.parameters.is_set(kNueSwitches) ? " --nue_include_switches" : "") +
        (lmc != 0 ? " --lmc 1" : "");
    const Routes routes = routed_by_nue(fabric, options);
    const Verdict verdict = verify(fabric, routes, {.threads = 1});
    ASSERT_TRUE(verdict.ca_to_ca.all_joined()) << replay;
    ASSERT_TRUE(verdict.switches_ok()) << replay;
    ASSERT_FALSE(verdict.has_credit_loop()) << replay;
    ASSERT_EQ(verdict.loops, 0u) << replay;
    ASSERT_EQ(verdict.lanes_missing, 0u) << replay;
    if (options.parameters.of(kNueVls) > 1) {
      const Routes replies = with_sls_of_replies(fabric, routes);
      ASSERT_EQ(replies.path_sl, routes.path_sl) << replay;
    }
    RoutingOptions parallel = options;
    parallel.threads = 3;
    ASSERT_EQ(routed_by_nue(fabric, parallel), routes) << replay;
    // Next hops of active tables stay only if every VL permits them.
    RoutingOptions kept = options;
    kept.previous = routed_by_nue(fabric, {.seed = seed + 1, .parameters = {{kNueVls, 1}}}).lfts;
    kept.previous_engine = "nue";
    const Verdict later = verify(fabric, routed_by_nue(fabric, kept), {.threads = 1});
    ASSERT_TRUE(later.ca_to_ca.all_joined() && later.switches_ok()) << replay;
    ASSERT_FALSE(later.has_credit_loop()) << replay;
  }
}

INSTANTIATE_TEST_SUITE_P(Generators, NueDamaged, testing::ValuesIn(kSmallSpecs), spec_name);

class NueLanes : public testing::TestWithParam<const char*> {
 protected:
  NueLanes()
      : fabric_(fabric_of(GetParam())),
        arcs_(fabric_),
        weight_(nue::switch_weights(fabric_, true)),
        all_(arcs_.switches) {
    std::iota(all_.begin(), all_.end(), 0u);
  }

  /// Random orders of arcs, all of which permit the turns of the escape tree.
  std::vector<nue::Ranking> random_rankings(const nue::Escape& escape, unsigned lanes) const {
    const auto needed = escape.needed(arcs_, all_);
    std::vector<nue::Ranking> rankings;
    for (unsigned l = 0; l < lanes; ++l) {
      Rng rng(l + 5);
      nue::Order order = nue::up_down_order(arcs_, escape);
      nue::TurnWeights weights(arcs_.turn_count());
      for (auto& weight : weights) weight = rng.below(1000);
      nue::sift(arcs_, needed, weights, 3, 0.5, rng, order);
      rankings.emplace_back(arcs_, std::move(order));
    }
    return rankings;
  }

  /// Expects that every path ascends in the order of its VL, for any selection of arcs by the
  /// switches.
  void expect_allowed(nue::LanePaths& paths, const std::vector<nue::Ranking>& rankings,
                      const nue::PairLanes& pairs) const {
    constexpr std::int64_t kClosed = -1;
    for (std::uint32_t lane = 0; lane < rankings.size(); ++lane) {
      std::vector<std::int64_t> first(arcs_.switches, kClosed);
      first[paths.destination()] = std::numeric_limits<std::int64_t>::max();
      for (const auto& member : paths.members()) {
        ASSERT_LT(member.begin, member.end);
        std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
        for (const std::uint32_t arc : paths.arcs_of(member)) {
          ASSERT_EQ(arcs_.tail[arc], member.sw);
          const std::int64_t place = rankings[lane].order[arc];
          earliest = std::min(earliest, place < first[arcs_.head[arc]] ? place : kClosed);
        }
        first[member.sw] = earliest;
        if (pairs.lane[pairs.at(paths.destination(), member.sw)] == lane) {
          ASSERT_NE(earliest, kClosed) << member.sw << " to " << paths.destination();
        }
      }
    }
  }

  const Fabric fabric_;
  const nue::Arcs arcs_;
  const std::vector<std::uint32_t> weight_;
  std::vector<std::uint32_t> all_;
};

TEST_P(NueLanes, RanksAndLimitsAllowExactlyTheTurnsOfTheOrder) {
  const nue::Escape escape = nue::breadth_first(arcs_, all_);
  const auto rankings = random_rankings(escape, 3);
  const nue::LaneOrders orders(arcs_, rankings);
  for (std::uint32_t in = 0; in < arcs_.count(); ++in)
    for (std::uint32_t out = arcs_.begin[arcs_.head[in]]; out < arcs_.begin[arcs_.head[in] + 1];
         ++out) {
      if (out == arcs_.reverse[in]) continue;
      for (unsigned l = 0; l < 3; ++l)
        ASSERT_EQ(orders.number_of(in)[l] < orders.limit_of(out)[l],
                  rankings[l].order[in] < rankings[l].order[out]);
    }
}

/// With arbitrary VLs many switches have no next hop; the escape tree connects them.
TEST_P(NueLanes, PathsConnectSwitchesForAnyVlsOfPairs) {
  const nue::Escape escape = nue::breadth_first(arcs_, all_);
  const auto rankings = random_rankings(escape, 4);
  const nue::LaneOrders orders(arcs_, rankings);
  nue::PairLanes pairs;
  pairs.switches = arcs_.switches;
  pairs.stride = orders.stride;
  pairs.lane.resize(std::size_t{arcs_.switches} * arcs_.switches);
  pairs.limits.assign(pairs.lane.size() * orders.stride, nue::kClosed);
  Rng rng(11);
  for (std::uint32_t a = 0; a < arcs_.switches; ++a)
    for (std::uint32_t b = 0; b < a; ++b)
      pairs.lane[pairs.at(a, b)] = pairs.lane[pairs.at(b, a)] =
          static_cast<std::uint8_t>(rng.below(4));
  nue::LanePaths paths(arcs_, orders, pairs, escape);
  for (const std::uint32_t destination : all_) {
    paths.grow(destination);
    ASSERT_EQ(paths.members().size() + 1, arcs_.part_size[destination]);
    expect_allowed(paths, rankings, pairs);
  }
}

/// A pair that assign_pair_lanes() assigns to a VL has shortest paths in both directions that the
/// order of the VL permits.
TEST_P(NueLanes, AssignedPairsHaveTheSameVlInBothDirections) {
  const nue::Escape escape = nue::breadth_first(arcs_, all_);
  const auto rankings = random_rankings(escape, 3);
  const nue::LaneOrders orders(arcs_, rankings);
  const auto group = nue::assign_layers(arcs_, weight_, 3, 1);
  const nue::PairLanes pairs =
      nue::assign_pair_lanes(arcs_, orders, nue::lanes_of_groups(group, 3), weight_, 2, 1);
  std::uint64_t open = 0;
  for (std::uint32_t a = 0; a < arcs_.switches; ++a)
    for (std::uint32_t b = 0; b < arcs_.switches; ++b) {
      ASSERT_EQ(pairs.lane[pairs.at(a, b)], pairs.lane[pairs.at(b, a)]);
      ASSERT_EQ(pairs.demand[pairs.at(a, b)], pairs.demand[pairs.at(b, a)]);
      if (pairs.demand[pairs.at(a, b)] == nue::kAnyLane) {
        open += std::uint64_t{weight_[a]} * weight_[b];
        EXPECT_EQ(*std::max_element(pairs.limit(a, b), pairs.limit(a, b) + orders.stride), 0);
      } else if (arcs_.part_size[a] == arcs_.switches) {
        EXPECT_NE(pairs.limit(a, b)[pairs.lane[pairs.at(a, b)]], nue::kClosed);
      }
    }
  EXPECT_EQ(open, pairs.open);
}

INSTANTIATE_TEST_SUITE_P(Shapes, NueLanes,
                         testing::Values("ring:n=6", "torus:4x4", "full:n=5", "fattree3:k=4",
                                         "random:n=32,degree=5,seed=9",
                                         "random:n=32,degree=3,connected=0,fail=12,seed=4"),
                         spec_name);

}  // namespace
}  // namespace weft
