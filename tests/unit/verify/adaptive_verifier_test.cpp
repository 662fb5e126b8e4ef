// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verdicts on adaptive routes with failures that routes over the default ports do not have.

#include <gtest/gtest.h>

#include <array>

#include "support/tiny.h"
#include "verify/verify.h"

namespace weft {
namespace {

/// Tables that a test sets: to(at, target, vias) sets the next hops at switch `at` for the hosts
/// and port 0 of switch `target`.
class ManualRoutes {
 public:
  explicit ManualRoutes(const Fabric& fabric) : fabric_(fabric) {
    routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
    routes.adaptive = ArTables(fabric.switch_count(), fabric.lid_top());
    for (const Endport& endport : fabric.endports())
      routes.lfts.set(endport.sw, endport.lid, endport.sw_port);
  }
  PortNum port(std::uint32_t from, std::uint32_t via) const {
    for (const Channel& channel : fabric_.channels_from(SwitchId(from)))
      if (channel.to == SwitchId(via)) return channel.from_port;
    return kNoRoute;
  }
  void to(std::uint32_t at, std::uint32_t target, std::vector<std::uint32_t> vias) {
    PortMask ports;
    for (const std::uint32_t via : vias) ports.set(port(at, via).value());
    choose(at, target, port(at, vias[0]), ports);
  }
  void choose(std::uint32_t at, std::uint32_t target, PortNum own, const PortMask& ports) {
    const bool adaptive = ports.count() > 1;
    const std::uint16_t group = adaptive ? routes.adaptive->add_group(SwitchId(at), ports) : 0;
    for (const Endport& endport : fabric_.endports()) {
      if (endport.sw != SwitchId(target)) continue;
      routes.lfts.set(SwitchId(at), endport.lid, own);
      if (adaptive) routes.adaptive->set(SwitchId(at), endport.lid, {ArState::kBounded, group});
    }
  }
  Verdict verdict(bool adaptive) const {
    Routes tables = routes;
    if (!adaptive) tables.adaptive.reset();
    return verify(fabric_, tables);
  }

  Routes routes;

 private:
  const Fabric& fabric_;
};

//  S0 - S1
//    \  /      packets to the host of S2: S0 and S1 may also send them to each other
//     S2
TEST(AdaptiveVerifier, FindsALoopThatTheDefaultPortsDoNotHave) {
  const Fabric fabric = Tiny(3).link(0, 1).link(0, 2).link(1, 2).hosts(0).hosts(1).hosts(2).build();
  ManualRoutes manual(fabric);
  manual.to(0, 1, {1});
  manual.to(1, 0, {0});
  manual.to(2, 0, {0});
  manual.to(2, 1, {1});
  manual.to(0, 2, {2, 1});
  manual.to(1, 2, {2});
  EXPECT_TRUE(manual.verdict(true).ok()) << "a group at S0 alone cannot form a loop";
  manual.to(1, 2, {2, 0});
  EXPECT_TRUE(manual.verdict(false).ok());
  const Verdict verdict = manual.verdict(true);
  EXPECT_FALSE(verdict.ok());
  EXPECT_GT(verdict.loops, 0u);
  EXPECT_EQ(verdict.ca_to_ca.arrived, verdict.ca_to_ca.pairs - 2)
      << "only the packets from S0 and S1 to the host of S2 may fail";
  ASSERT_FALSE(verdict.failures.empty());
  EXPECT_EQ(verdict.failures[0].end, WalkEnd::kLoop);
  EXPECT_EQ(verdict.failures[0].where, kS1) << "S1 returns packets of S0 to S0";
}

//  S0 - S1
//  |     |    both directions around the ring are shortest paths to the opposite switch
//  S3 - S2
TEST(AdaptiveVerifier, FindsACreditLoopThroughMembersOfGroups) {
  const Fabric fabric = ring_of_four();
  ManualRoutes manual(fabric);
  for (std::uint32_t s = 0; s < 4; ++s) {
    manual.to(s, (s + 1) % 4, {(s + 1) % 4});
    manual.to(s, (s + 3) % 4, {(s + 3) % 4});
  }
  manual.to(0, 2, {1, 3});
  manual.to(1, 3, {2, 0});
  manual.to(2, 0, {1, 3});
  manual.to(3, 1, {2, 0});
  EXPECT_TRUE(manual.verdict(false).ok());
  const Verdict verdict = manual.verdict(true);
  EXPECT_TRUE(verdict.ca_to_ca.all());
  EXPECT_EQ(verdict.loops, 0u);
  ASSERT_EQ(verdict.credit_loop.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(fabric.channel(verdict.credit_loop[i].channel).to,
              fabric.channel(verdict.credit_loop[(i + 1) % 4].channel).from);
}

//  S0 ------- S1    S0 sends directly to the first and third host of S1, and over S2 and S3 to the
//   \        //     second. S3 sends to the third host over its second cable.
//    S2 --- S3
TEST(AdaptiveVerifier, CountsDependenciesOfCasWherePathsChangeFromLidToLid) {
  const Fabric fabric =
      Tiny(4).link(0, 1).link(0, 2).link(2, 3).link(3, 1, 2).hosts(0, 2).hosts(1, 3).build();
  ManualRoutes manual(fabric);
  for (const auto& [at, via0, via1, via2, via3] : {std::array{0u, 0u, 1u, 2u, 2u},
                                                   {1u, 0u, 1u, 3u, 3u},
                                                   {2u, 0u, 3u, 2u, 3u},
                                                   {3u, 2u, 1u, 2u, 3u}})
    for (const auto& [target, via] : {std::pair{0u, via0}, {1u, via1}, {2u, via2}, {3u, via3}})
      if (target != at) manual.to(at, target, {via});
  const auto hosts = fabric.endports_at(kS1);
  const Lid second = fabric.endport(hosts[1]).lid;
  const Lid third = fabric.endport(hosts[2]).lid;
  ASSERT_LT(second, third);
  manual.routes.lfts.set(SwitchId(0), second, manual.port(0, 2));
  manual.routes.lfts.set(SwitchId(3), third,
                         PortNum(static_cast<std::uint8_t>(manual.port(3, 1).value() + 1)));
  const Verdict with = manual.verdict(true);
  EXPECT_TRUE(with.ok());
  EXPECT_EQ(with.dependencies, 2u)
      << "the dependencies are over S2 and over S3, to the second host";
  EXPECT_EQ(with.dependencies, manual.verdict(false).dependencies);
}

TEST(AdaptiveVerifier, ReportsPacketsLostAtMembersWithoutCableOrToAnotherEndport) {
  const Fabric fabric = Tiny(2).link(0, 1, 2).hosts(0, 2).hosts(1).build();
  for (const auto& [extra, end] : {std::pair{7u, WalkEnd::kDeadPort},
                                   {200u, WalkEnd::kDeadPort},
                                   {0u, WalkEnd::kWrongEndport},
                                   {3u, WalkEnd::kWrongEndport}}) {
    ManualRoutes manual(fabric);
    manual.to(0, 1, {1});
    manual.to(1, 0, {0});
    PortMask ports;
    ports.set(1).set(2);
    manual.choose(0, 1, PortNum(1), ports);
    EXPECT_TRUE(manual.verdict(true).ok());
    manual.choose(0, 1, PortNum(1), ports.set(extra));
    EXPECT_TRUE(manual.verdict(false).ok());
    const Verdict verdict = manual.verdict(true);
    EXPECT_FALSE(verdict.ok()) << extra;
    ASSERT_FALSE(verdict.failures.empty()) << extra;
    EXPECT_EQ(verdict.failures[0].end, end) << extra;
  }
}

TEST(AdaptiveVerifier, IncludesADefaultPortThatIsNotInTheGroup) {
  const Fabric fabric = Tiny(2).link(0, 1, 3).hosts(0).hosts(1).build();
  ManualRoutes manual(fabric);
  manual.to(1, 0, {0});
  PortMask ports;
  ports.set(1).set(2);
  manual.choose(0, 1, PortNum(8), ports);
  EXPECT_FALSE(manual.verdict(true).ok());
  manual.choose(0, 1, PortNum(3), ports);
  EXPECT_TRUE(manual.verdict(true).ok());
}

// The SL2VL map of the second cable maps the SL of the pair to VL 15, so packets on it are dropped.
TEST(AdaptiveVerifier, FindsDropsByVl15OnAnySelection) {
  const Fabric fabric = Tiny(2).link(0, 1, 2).hosts(0).hosts(1).build();
  ManualRoutes manual(fabric);
  manual.to(1, 0, {0});
  PortMask ports;
  ports.set(1).set(2);
  manual.choose(0, 1, PortNum(1), ports);
  SlMap drop{};
  drop.fill(15);
  manual.routes.sl2vl.set(SwitchId(0), PortNum(3), PortNum(2), drop);
  EXPECT_EQ(manual.verdict(false).ca_to_ca.arrived, 2u);
  const Verdict verdict = manual.verdict(true);
  EXPECT_EQ(verdict.ca_to_ca.arrived, 1u);
  ASSERT_FALSE(verdict.failures.empty());
  EXPECT_EQ(verdict.failures[0].end, WalkEnd::kDropped);
  EXPECT_EQ(verdict.failures[0].where, SwitchId(0));
}

TEST(AdaptiveVerifier, EqualsTheVerdictOfTheTablesWithoutAdaptiveEntries) {
  const Fabric fabric = Tiny(2).link(0, 1, 2).hosts(0, 2).hosts(1).build();
  ManualRoutes manual(fabric);
  manual.to(0, 1, {1});
  manual.to(1, 0, {0});
  const Verdict with = manual.verdict(true);
  const Verdict without = manual.verdict(false);
  EXPECT_TRUE(with.ok());
  EXPECT_EQ(with.dependencies, without.dependencies);
  EXPECT_EQ(with.switch_to_switch.arrived, without.switch_to_switch.arrived);
  EXPECT_EQ(with.ca_to_switch.arrived, without.ca_to_switch.arrived);
}

}  // namespace
}  // namespace weft
