// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Consequences of failures, computed by hand on small fabrics and by another method on random
// fabrics.

#include "whatif/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/check.h"
#include "congestion/quality/quality.h"
#include "fabric/changes.h"
#include "fabric/without.h"
#include "routing/minhop.h"
#include "routing/updn.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "support/walks.h"

namespace weft {
namespace {

Rerouted reroute(const Fabric& fabric, const Routes&, Lfts previous) {
  RoutingOptions options{.threads = 1};
  options.previous = std::move(previous);
  options.previous_engine = "updn";
  auto routes = route_updn(fabric, options);
  Rerouted result;
  if (!routes) {
    result.status = forward(routes);
    return result;
  }
  result.routes = std::move(*routes);
  result.verdict = verify(fabric, result.routes, {.threads = 1});
  return result;
}

Routes updn(const Fabric& fabric) {
  auto routes = route_updn(fabric, {});
  CHECK(routes.has_value());
  return std::move(*routes);
}

std::vector<Loss> losses_of(const Fabric& fabric, const Routes& routes,
                            std::span<const Failure> failures, const Router& router,
                            const WhatIfOptions& options) {
  return simulate_failures(fabric, routes, verify(fabric, routes).ca_to_ca.arrived, failures,
                           router, options);
}

// Leaves S0 and S1 with two hosts each under spines S2 and S3. S4 has one host and is cabled to S0
// only.
Fabric tree_with_single_link_switch() {
  return Tiny(5)
      .link(0, 2)
      .link(0, 3)
      .link(1, 2)
      .link(1, 3)
      .hosts(0, 2)
      .hosts(1, 2)
      .link(0, 4)
      .hosts(4)
      .build();
}

ChannelId between(const Fabric& fabric, std::uint32_t a, std::uint32_t b) {
  for (std::uint32_t c = 0; c < fabric.channel_count(); ++c)
    if (fabric.channel(ChannelId(c)).from == SwitchId(a) &&
        fabric.channel(ChannelId(c)).to == SwitchId(b))
      return ChannelId(c);
  return kNoChannel;
}

TEST(Without, KeepsGuidsLidsAndRatesOfRemainingElements) {
  const Fabric fabric = tree_with_single_link_switch();
  const Channel& cable = fabric.channel(between(fabric, 0, 4));
  const PortId end = fabric.port_id(Fabric::node_of(cable.to), cable.to_port);
  const Fabric remaining = without(fabric, std::vector{NodeId(2)}, std::vector{end});
  std::vector<std::string> reported;
  for (const FabricChange& change : summarize_changes(compare(fabric, remaining)))
    reported.push_back(fmt::format("{} 0x{:x}", name(change.kind), change.node.value()));
  EXPECT_THAT(reported, testing::ElementsAre("node gone 0x102", "link gone 0x100"));
  EXPECT_EQ(remaining.switch_count(), 4u);
  const auto host = remaining.find_endport(fabric.port(fabric.endport(EndportId(5)).port).guid);
  ASSERT_TRUE(host);
  EXPECT_EQ(remaining.endport(*host).lid, fabric.endport(EndportId(5)).lid);
  EXPECT_EQ(compare(fabric, without(fabric, {}, {})).size(), 0u);
}

TEST(WhatIf, LosesPairsWhoseOnlyCableFails) {
  const Fabric fabric = tree_with_single_link_switch();
  const Failure tail{{}, {between(fabric, 0, 4)}};
  const auto losses = losses_of(fabric, updn(fabric), std::vector{tail}, &reroute, {});
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_TRUE(losses[0].routed);
  EXPECT_EQ(losses[0].pairs_cut, 8u);  // to and from the host at S4, for four other hosts
  EXPECT_EQ(losses[0].pairs_lost, 8u);
  EXPECT_FALSE(losses[0].credit_loop);
  EXPECT_EQ(describe(fabric, losses[0].failure),
            "cable 'S0' (0x0000000000000100) port 5 - 'S4' (0x0000000000000104) port 1");
}

TEST(WhatIf, ReroutesThePairsOfAFailedSpine) {
  const Fabric fabric = tree_with_single_link_switch();
  const Failure spine{{SwitchId(2)}, {}};
  const auto losses =
      losses_of(fabric, updn(fabric), std::vector{spine}, &reroute, {.shifts = true});
  EXPECT_GT(losses[0].pairs_cut, 0u);
  EXPECT_EQ(losses[0].pairs_lost, 0u);
  EXPECT_EQ(losses[0].vls, 1u);
  EXPECT_GE(losses[0].blocks, 2u);  // at least one block of each leaf changes
  EXPECT_LT(losses[0].ebb, 0.95);   // one spine carries all traffic
  const Fabric left = without(fabric, std::vector{Fabric::node_of(SwitchId(2))}, {});
  const Quality quality = assess(left, updn(left), {.shifts = true});
  EXPECT_LT(quality.alltoall, assess(fabric, updn(fabric)).alltoall);
  EXPECT_DOUBLE_EQ(losses[0].alltoall, quality.alltoall);
  EXPECT_DOUBLE_EQ(losses[0].shift_worst, quality.shifts->worst);
  EXPECT_GT(losses[0].shift_worst, 0);
}

TEST(WhatIf, LosesTheHostsOfAFailedLeaf) {
  const Fabric fabric = tree_with_single_link_switch();
  const Failure leaf{{SwitchId(1)}, {}};
  const auto losses = losses_of(fabric, updn(fabric), std::vector{leaf}, &reroute, {});
  EXPECT_EQ(losses[0].pairs_cut,
            2u * 1 + 2u * 2 * 3);  // its two hosts with each other and with three other hosts
  EXPECT_EQ(losses[0].pairs_lost, losses[0].pairs_cut);
}

TEST(WhatIf, ReportsThatNoEngineRoutesTheRemainingFabric) {
  const Fabric fabric = tree_with_single_link_switch();
  const auto no_engine = [](const Fabric&, const Routes&, const Lfts&) -> Rerouted {
    Rerouted result;
    result.status = fail(Code::kUnroutable, "none");
    return result;
  };
  const auto losses =
      losses_of(fabric, updn(fabric), single_failures(fabric, FailureKind::kCables), no_engine, {});
  EXPECT_EQ(losses.size(), 5u);
  for (const Loss& loss : losses) EXPECT_FALSE(loss.routed);
}

// Another method: the test follows the path of every pair before the failure, and counts the paths
// over failed switches and cables.
TEST(WhatIf, CountsTheSamePairsAsFollowingEachPath) {
  for (const char* spec :
       {"random:n=12,degree=3,hosts=2,seed=4", "torus:3x3,hosts=1", "fattree2:k=4"}) {
    const Fabric fabric = fabric_of(spec);
    const Routes routes = updn(fabric);
    const auto failures = drawn_failures(fabric, FailureKind::kBoth, 2, 12, 7);
    ASSERT_TRUE(failures);
    const auto losses = losses_of(fabric, routes, *failures, &reroute, {});
    ASSERT_EQ(losses.size(), 12u);
    for (const Loss& loss : losses) {
      std::uint64_t cut = 0;
      const auto has_failed = [&](std::uint32_t sw) {
        return std::ranges::find(loss.failure.switches, SwitchId(sw)) !=
               loss.failure.switches.end();
      };
      for (std::uint32_t i = fabric.switch_count(); i < fabric.endport_count(); ++i)
        for (std::uint32_t j = fabric.switch_count(); j < fabric.endport_count(); ++j) {
          if (i == j) continue;
          const Endport& to = fabric.endport(EndportId(j));
          const auto path =
              walk(fabric, routes.lfts, fabric.endport(EndportId(i)).sw.value(), to, to.lid);
          ASSERT_TRUE(path);
          bool hit = std::ranges::any_of(*path, has_failed);
          for (std::size_t hop = 0; hop + 1 < path->size(); ++hop) {
            const ChannelId taken = fabric.channel_at(
                SwitchId((*path)[hop]), routes.lfts.port(SwitchId((*path)[hop]), to.lid));
            for (const ChannelId cable : loss.failure.cables)
              hit = hit || taken == cable || taken == fabric.channel(cable).reverse;
          }
          cut += hit ? 1 : 0;
        }
      EXPECT_EQ(loss.pairs_cut, cut) << spec << ": " << describe(fabric, loss.failure);
      EXPECT_LE(loss.pairs_lost, loss.pairs_cut);
    }
  }
}

TEST(WhatIf, IsEqualForAnyNumberOfThreadsAndStopsOnRequest) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=2");
  const Routes routes = updn(fabric);
  const auto failures = single_failures(fabric, FailureKind::kBoth);
  EXPECT_EQ(failures.size(), 32u + 16u);
  const auto text = [&](unsigned threads) {
    auto losses = losses_of(fabric, routes, failures, &reroute,
                            {.threads = threads, .matchings = 5, .shifts = true});
    sort_worst_first(losses);
    std::string all;
    for (const Loss& loss : losses)
      all += fmt::format("{} {} {} {} {} {} {} {}\n", describe(fabric, loss.failure),
                         loss.pairs_cut, loss.pairs_lost, loss.ebb, loss.alltoall, loss.shift_worst,
                         loss.link_load_max, loss.blocks);
    return all;
  };
  const std::string once = text(1);
  EXPECT_EQ(once, text(8));
  EXPECT_TRUE(
      once.starts_with("switch"));  // hosts of a switch are lost; single cables lose no pairs
  std::atomic<int> steps_left = 3;
  const auto some =
      losses_of(fabric, routes, failures, &reroute,
                {.threads = 1, .matchings = 1, .go_on = [&] { return --steps_left > 0; }});
  EXPECT_EQ(some.size(), 3u);
}

TEST(WhatIf, DrawsSetsBySeedAndRefusesTooLargeSets) {
  const Fabric fabric = tree_with_single_link_switch();
  const auto drawn = drawn_failures(fabric, FailureKind::kCables, 3, 10, 1);
  ASSERT_TRUE(drawn);
  EXPECT_EQ(*drawn, *drawn_failures(fabric, FailureKind::kCables, 3, 10, 1));
  EXPECT_NE(*drawn, *drawn_failures(fabric, FailureKind::kCables, 3, 10, 2));
  for (const Failure& failure : *drawn) {
    EXPECT_EQ(failure.cables.size(), 3u);
    EXPECT_EQ(std::ranges::adjacent_find(failure.cables), failure.cables.end());
  }
  EXPECT_FALSE(drawn_failures(fabric, FailureKind::kCables, 6, 1, 1));
  EXPECT_FALSE(drawn_failures(fabric, FailureKind::kSwitches, 5, 1, 1));
}

}  // namespace
}  // namespace weft
