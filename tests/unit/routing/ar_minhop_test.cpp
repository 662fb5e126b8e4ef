// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ar_minhop: groups contain all next hops of shortest paths that the virtual lanes permit, and no
// selection of ports causes a loop, a deadlock or a lost packet.
#include "routing/adaptive/ar_minhop.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/generators/spec.h"
#include "routing/engine.h"
#include "support/fabrics.h"
#include "support/spec_name.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

Result<Routes> ar_minhop(const Fabric& fabric, unsigned vls, unsigned threads = 1) {
  return run_engine(*find_engine("ar_minhop"), fabric, {.threads = threads, .vls_max = vls});
}

/// The ports to neighbors that are one hop nearer to the destination of `hops`.
PortMask nearer_ports(const Fabric& fabric, SwitchId sw, std::span<const std::uint32_t> hops) {
  PortMask mask;
  for (const Channel& channel : fabric.channels_from(sw))
    if (hops[channel.to.value()] + 1 == hops[sw.value()]) mask.set(channel.from_port.value());
  return mask;
}

/// Number of next hops that are not in the AR group of their switch. Expects that every port of a
/// group is a next hop.
std::size_t count_left_out(const Fabric& fabric, const Routes& routes) {
  const auto graph = neighbors(fabric);
  std::size_t left_out = 0;
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    const auto hops = shortest_hops(graph, {to.sw.value()});
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      if (SwitchId(s) == to.sw || hops[s] == kUnreachable) continue;
      const PortMask nearer = nearer_ports(fabric, SwitchId(s), hops);
      PortMask choices;
      for_each_choice(routes.lfts, &*routes.adaptive, SwitchId(s), lid,
                      [&](PortNum port) { choices.set(port.value()); });
      EXPECT_TRUE((choices & ~nearer).none()) << "switch " << s << " LID " << lid.value();
      left_out += (nearer & ~choices).count();
    }
  });
  return left_out;
}

struct LaneCase {
  const char* spec;
  unsigned vls;
};

TEST(ArMinhop, HasEveryShortestNextHopOnFewLanes) {
  // A mesh needs two lanes: one for paths that ascend in both dimensions or descend in both, one
  // for all other paths.
  for (const LaneCase& use : {LaneCase{"fattree2:k=8,trunks=2", 1},
                              {"fattree3:k=4", 1},
                              {"mesh:3x4,hosts=2", 2},
                              {"mesh:3x3x3,hosts=1", 4},
                              {"hypercube:n=3", 4},
                              {"ring:n=6,hosts=2", 3}}) {
    const Fabric fabric = fabric_of(use.spec);
    const auto routes = ar_minhop(fabric, 8);
    ASSERT_TRUE(routes.has_value()) << use.spec;
    EXPECT_EQ(routes->vls, use.vls) << use.spec;
    EXPECT_EQ(count_left_out(fabric, *routes), 0u) << use.spec;
    EXPECT_TRUE(verify(fabric, *routes).ok()) << use.spec;
  }
}

TEST(ArMinhop, KeepsTheTablesOfMinhopWhereNoNextHopIsLeftOut) {
  const Fabric fabric = fabric_of("mesh:3x4,hosts=2");
  EXPECT_EQ(ar_minhop(fabric, 8)->lfts, run_engine(*find_engine("minhop"), fabric, {})->lfts);
}

TEST(ArMinhop, LeavesOutNextHopsWhereLanesAreFew) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=2");
  std::size_t before = 0;
  for (const unsigned vls : {8u, 4u, 2u}) {
    const auto routes = ar_minhop(fabric, vls);
    ASSERT_TRUE(routes.has_value()) << vls << ": " << routes.error().message;
    EXPECT_LE(routes->vls, vls);
    const Verdict verdict = verify(fabric, *routes);
    EXPECT_TRUE(verdict.ok()) << describe_cycle(fabric, verdict.credit_loop);
    const std::size_t left_out = count_left_out(fabric, *routes);
    EXPECT_GE(left_out, before) << vls;
    EXPECT_EQ(left_out > 0, !routes->notes.empty()) << vls;
    before = left_out;
  }
  EXPECT_GT(before, 0u);
}

TEST(ArMinhop, FailsWhereLanesDoNotSufficeForOnePath) {
  const auto routes = ar_minhop(fabric_of("ring:n=6,hosts=2"), 1);
  ASSERT_FALSE(routes.has_value());
  EXPECT_EQ(routes.error().code, Code::kOutOfVls);
  EXPECT_EQ(routes.error().message, "ar_minhop needs 2 virtual lanes, found 1");
}

TEST(ArMinhop, UsesLightestPathsOnly) {
  const Fabric fabric = fabric_of("mesh:3x4,hosts=2");
  RoutingOptions options;
  options.hop_weights.assign(fabric.channel_count(), 1);
  options.hop_weights[0] = 9;
  const PortNum heavy = fabric.channels_from(SwitchId(0))[0].from_port;
  const auto routes = run_engine(*find_engine("ar_minhop"), fabric, options);
  ASSERT_TRUE(routes.has_value());
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    const PortMask* group = routes->adaptive->group_of(SwitchId(0), lid);
    EXPECT_TRUE(to.sw == SwitchId(0) || group == nullptr || !group->test(heavy.value()));
  });
  EXPECT_TRUE(verify(fabric, *routes).ok());
}

TEST(ArMinhop, HasParallelCablesOnlyWhereLagIsRequested) {
  const Fabric fabric = fabric_of("mesh:3x4,hosts=2");
  RoutingOptions options;
  options.adaptive = AdaptiveOptions{.algorithm = ArAlgorithm::kLag};
  const auto routes = run_engine(*find_engine("ar_minhop"), fabric, options);
  ASSERT_TRUE(routes.has_value());
  EXPECT_EQ(count(*routes->adaptive).groups, 0u);
  options.adaptive->enabled = false;
  EXPECT_FALSE(run_engine(*find_engine("ar_minhop"), fabric, options)->adaptive);
}

class ArMinhopEverywhere : public testing::TestWithParam<const char*> {};

TEST_P(ArMinhopEverywhere, ReachesTheLidsOfMinhopByEverySelectionWithoutDeadlock) {
  const std::string spec = GetParam();
  std::vector<std::string> specs{spec};
  if (spec.find("seed=") == std::string::npos)
    for (const char* damage : {",fail=1,connected=0,seed=1", ",dead=1,fail=2,connected=0,seed=2"})
      if (generate(spec + damage)) specs.push_back(spec + damage);
  for (const std::string& one : specs)
    for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}}) {
      const Fabric fabric = fabric_of(one, lmc);
      const Verdict plain = verify(fabric, *run_engine(*find_engine("minhop"), fabric, {}));
      for (const unsigned vls : {1u, 3u, 8u}) {
        const auto routes = ar_minhop(fabric, vls);
        const std::string place = fmt::format("{} LMC {} {} VLs", one, lmc, vls);
        if (!routes) {
          EXPECT_EQ(routes.error().code, Code::kOutOfVls) << place;
          EXPECT_LT(vls, 8u) << place;
          continue;
        }
        const Verdict verdict = verify(fabric, *routes);
        ASSERT_EQ(verdict.ca_to_ca.arrived, plain.ca_to_ca.arrived) << place;
        ASSERT_EQ(verdict.ca_to_switch.arrived, plain.ca_to_switch.arrived) << place;
        ASSERT_EQ(verdict.loops + verdict.lanes_missing, 0u) << place;
        ASSERT_FALSE(verdict.has_credit_loop())
            << place << describe_cycle(fabric, verdict.credit_loop);
        ASSERT_TRUE(verdict.switch_credit_loop.empty()) << place;
        ASSERT_LE(routes->vls, vls) << place;
        count_left_out(fabric, *routes);
        ASSERT_TRUE(vls != 3 || *ar_minhop(fabric, vls, 4) == *routes) << place;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Small, ArMinhopEverywhere, testing::ValuesIn(kSmallSpecs), spec_name);

}  // namespace
}  // namespace weft
