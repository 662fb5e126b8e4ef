// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The guarantees of dor and dnup, on the topologies for which they are intended and on the fabrics
// of kSmallSpecs.

#include <gtest/gtest.h>

#include "routing/dnup.h"
#include "routing/dor.h"
#include "routing/engine.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

TEST(Dor, IsFreeOfDeadlockOnMeshesAndHypercubes) {
  for (const char* spec :
       {"mesh:4x5", "mesh:3x3x4,hosts=2", "mesh:2x3x2x3", "line:n=5", "mesh:4x4,trunks=2,hosts=3",
        "hypercube:n=3,hosts=2", "hypercube:n=5", "hypercube:n=4,trunks=2,hosts=2"}) {
    for (std::uint8_t lmc = 0; lmc <= 1; ++lmc) {
      const Fabric fabric = fabric_of(spec, lmc);
      const auto routes = route_dor(fabric, {});
      ASSERT_TRUE(routes);
      const Verdict verdict = verify(fabric, *routes);
      EXPECT_TRUE(verdict.ok()) << spec << '\n' << describe_cycle(fabric, verdict.credit_loop);
      EXPECT_TRUE(verdict.switch_credit_loop.empty()) << spec;
      EXPECT_TRUE(verdict.switch_to_switch.all()) << spec;
    }
  }
}

TEST(Dor, UsesShortestPathsOnEveryFabric) {
  for (const char* spec : kSmallSpecs) {
    const Fabric fabric = fabric_of(spec, 1);
    const auto routes = route_dor(fabric, {});
    ASSERT_TRUE(routes);
    const auto graph = neighbors(fabric);
    for_each_lid(fabric, [&](const Endport& to, Lid lid) {
      const auto hops = shortest_hops(graph, {to.sw.value()});
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
        const auto path = walk(fabric, routes->lfts, s, to, lid);
        ASSERT_EQ(path.has_value(), hops[s] != kUnreachable) << spec;
        if (path) {
          ASSERT_EQ(path->size() - 1, hops[s]) << spec;
        }
      }
    });
  }
}

TEST(Dor, HasCreditLoopsOnTheRingsOfATorus) {
  const Fabric fabric = fabric_of("torus:6x6");
  const auto routes = route_dor(fabric, {});
  ASSERT_TRUE(routes);
  const Verdict verdict = verify(fabric, *routes);
  EXPECT_TRUE(verdict.ca_to_ca.all());
  EXPECT_TRUE(verdict.has_credit_loop());
}

//   S2 = S3     dimension x: two cables at ports 1 and 2; dimension y: port 3
//   |    |
//   S0 = S1
TEST(Dor, DistributesPathsOverParallelCablesOfADimension) {
  const Fabric fabric =
      Tiny(4).link(0, 1, 2).link(2, 3, 2).link(0, 2).link(1, 3).hosts(3, 4).hosts(0).build();
  for (const Balance balance : {Balance::kGlobal, Balance::kLocal}) {
    const auto routes = route_dor(fabric, RoutingOptions{.balance = balance});
    ASSERT_TRUE(routes);
    std::array<unsigned, 4> used{};
    for (const EndportId id : fabric.endports_at(SwitchId(3)))
      ++used[routes->lfts.port(SwitchId(0), fabric.endport(id).lid).value()];
    EXPECT_EQ(used, (std::array{0u, 2u, 2u, 0u}));
  }
}

TEST(Dor, UsesTheConfiguredOrderOfDimensions) {
  const Fabric fabric = fabric_of("hypercube:n=3");
  RoutingOptions options;
  for (const Channel& channel : fabric.channels())
    options.port_rank.push_back(static_cast<std::uint8_t>(9 - channel.from_port.value()));
  const Lid farthest = fabric.endport(fabric.endports_at(SwitchId(7))[0]).lid;
  EXPECT_EQ(route_dor(fabric, {})->lfts.port(SwitchId(0), farthest), PortNum(1));
  const auto routes = route_dor(fabric, options);
  ASSERT_TRUE(routes);
  EXPECT_EQ(routes->lfts.port(SwitchId(0), farthest), PortNum(3));
  EXPECT_TRUE(verify(fabric, *routes).ok());
}

bool has_hosts(const Fabric& fabric, std::uint32_t sw) {
  return !fabric.endports_at(SwitchId(sw)).empty();
}

/// After a hop that decreases the distance to the nearest switch with hosts, a path has no hop that
/// increases this distance.
TEST(Dnup, ConnectsHostsByLegalPaths) {
  for (const char* spec : kSmallSpecs) {
    for (const Balance balance : {Balance::kGlobal, Balance::kLocal}) {
      const Fabric fabric = fabric_of(spec, 1);
      const auto routes = route_dnup(fabric, RoutingOptions{.balance = balance});
      ASSERT_TRUE(routes) << spec << ": " << routes.error().message;
      const Verdict verdict = verify(fabric, *routes);
      EXPECT_TRUE(verdict.ok()) << spec << '\n' << describe_cycle(fabric, verdict.credit_loop);
      EXPECT_TRUE(verdict.switch_credit_loop.empty()) << spec;
      std::vector<std::uint32_t> leaves;
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
        if (has_hosts(fabric, s)) leaves.push_back(s);
      const auto level = shortest_hops(neighbors(fabric), leaves);
      for_each_lid(fabric, [&](const Endport& to, Lid lid) {
        if (fabric.is_switch(to.node)) return;  // the rule is not checked for paths to switches
        for (const std::uint32_t leaf : leaves) {
          const auto path = walk(fabric, routes->lfts, leaf, to, lid);
          if (!path) continue;
          bool nearer = false;
          for (std::size_t i = 0; i + 1 < path->size(); ++i) {
            const unsigned here = level[(*path)[i]];
            const unsigned next = level[(*path)[i + 1]];
            ASSERT_FALSE(nearer && next > here) << spec;
            nearer = nearer || next < here;
          }
        }
      });
    }
  }
}

//     S3      S0, S1 and S2 have a host each; S3 has no host, so S3 is the root.
//   S0  S1    S0 and S1 are cabled to S2 and to S3.
//     S2
TEST(Dnup, ConnectsHostsOnDifferentRanks) {
  const Fabric fabric =
      Tiny(4).link(0, 2).link(1, 2).link(0, 3).link(1, 3).hosts(0).hosts(1).hosts(2).build();
  const auto routes = route_dnup(fabric, {});
  ASSERT_TRUE(routes);
  EXPECT_TRUE(verify(fabric, *routes).ok());
}

TEST(Dnup, NamesTwoSwitchesWithoutALegalPath) {
  // A line S0 - S3 - S1 - S4 - S2. The only path from S2 to S0 has an up hop (to S3) after a down
  // hop (to S1), because S3 and S4 have no hosts.
  const Fabric fabric =
      Tiny(5).link(0, 3).link(3, 1).link(1, 4).link(4, 2).hosts(0).hosts(1).hosts(2).build();
  const auto routes = route_dnup(fabric, {});
  ASSERT_FALSE(routes);
  EXPECT_EQ(routes.error().code, Code::kUnroutable);
  EXPECT_EQ(
      routes.error().message,
      "no up*/down* path from 'S2' (0x0000000000000102) to 'S0' (0x0000000000000100) with ranks "
      "counted from the hosts");
}

TEST(DorDnup, GiveEqualRoutesForAnyNumberOfThreads) {
  for (const char* spec : kSmallSpecs) {
    const Fabric fabric = fabric_of(spec);
    for (const auto engine : {find_engine("dor")->run, find_engine("dnup")->run}) {
      const auto one = engine(fabric, {.threads = 1});
      for (const unsigned threads : {2u, 8u})
        EXPECT_TRUE(engine(fabric, {.threads = threads}) == one) << spec;
    }
  }
}

}  // namespace
}  // namespace weft
