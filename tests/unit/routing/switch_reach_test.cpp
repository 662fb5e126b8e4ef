// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Port 0 of every switch is reachable from CAs, and CAs are reachable from it, also on damaged
// trees. On damaged trees, tree engines leave entries empty; without the added paths the manager
// could not reach working switches.
#include "routing/deadlock/switch_reach.h"

#include <gmock/gmock.h>

#include "routing/deadlock/detour_switches.h"
#include "routing/engine.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/failure_text.h"
#include "verify/verify.h"

namespace weft {
namespace {

std::vector<std::string> damaged_trees() {
  std::vector<std::string> specs;
  for (unsigned seed = 1; seed <= 12; ++seed)
    for (const char* spec :
         {"fattree2:k=8,fail=1", "fattree2:k=8,fail=6", "fattree2:k=8,leaves=6,fail=6",
          "fattree3:k=4,fail=3", "fattree3:k=6,fail=8", "fattree2:k=6,trunks=3,dead=1,fail=2"})
      specs.push_back(fmt::format("{},seed={}", spec, seed));
  return specs;
}

TEST(SwitchReach, TreeEnginesReachEverySwitchOfDamagedTrees) {
  unsigned filled = 0;
  for (const std::string& spec : damaged_trees()) {
    const Fabric fabric = fabric_of(spec, 0);
    for (const char* name : {"ftree", "updn", "dnup", "ar_ftree", "ar_updn"}) {
      const auto routes = run_engine(*find_engine(name), fabric, {});
      if (!routes) continue;  // the fabric is no longer a tree; the engine refuses it
      const Verdict verdict = verify(fabric, *routes);
      EXPECT_TRUE(verdict.ok()) << spec << " -R " << name << ": " << failure_text(verdict);
      ++filled;
    }
  }
  EXPECT_GT(filled, 200u);
}

void expect_ftree_reaches_all(const std::vector<std::string>& specs) {
  for (const std::string& spec : specs) {
    const Fabric fabric = fabric_of(spec, 0);
    const auto routes = run_engine(*find_engine("ftree"), fabric, {});
    ASSERT_TRUE(routes);
    const Verdict verdict = verify(fabric, *routes);
    EXPECT_TRUE(verdict.ok()) << spec << ": " << failure_text(verdict);
  }
}

// On these fabrics, no order of the LIDs connects all switches if the first LID that needs a new
// turn determines at which switches all later paths turn.
TEST(SwitchReach, TurnsAtALeafWithFewMissingCables) {
  expect_ftree_reaches_all({"fattree3:k=12,fail=50,seed=10", "fattree3:k=12,fail=50,seed=12",
                            "fattree3:k=12,fail=80,seed=10", "fattree3:k=12,fail=80,seed=14"});
}

// On the last of these fabrics, turns at a leaf with few missing cables leave some pairs
// unconnected; the last of the random orders connects all pairs. The other fabrics need one of
// several orders in which new turns are not limited to one leaf.
TEST(SwitchReach, TriesTheLidsInSeveralOrders) {
  expect_ftree_reaches_all({"fattree3:k=12,fail=50,seed=1", "fattree3:k=12,fail=80,seed=6",
                            "fattree3:k=8,fail=20,seed=9", "fattree3:k=12,fail=80,seed=1"});
}

// Spines S0 and S1; leaves S2 to S5 with a host each. No cable joins S0 and S4; S5 has two cables
// to S1.
TEST(SwitchReach, DetoursTurnAtSwitchesWithMostNeighbors) {
  const Fabric fabric = Tiny(6)
                            .link(0, 2)
                            .link(0, 3)
                            .link(1, 2)
                            .link(1, 3)
                            .link(1, 4)
                            .link(1, 5, 2)
                            .hosts(2)
                            .hosts(3)
                            .hosts(4)
                            .hosts(5)
                            .build();
  EXPECT_THAT(detour_switches(fabric, Trunks(fabric), 9),
              testing::ElementsAre(SwitchId(2), SwitchId(3), SwitchId(4), SwitchId(5)));
  EXPECT_THAT(detour_switches(fabric, Trunks(fabric), 1), testing::ElementsAre(SwitchId(2)));
}

// Two lines, S2 - S3 - S4 and S0 - S1, with a host at both ends of each.
TEST(SwitchReach, DetoursPreferSwitchesWithNeighborsOfMostNeighbors) {
  const Fabric fabric =
      Tiny(5).link(0, 1).link(2, 3).link(3, 4).hosts(0).hosts(1).hosts(2).hosts(4).build();
  EXPECT_THAT(detour_switches(fabric, Trunks(fabric), 3),
              testing::ElementsAre(SwitchId(2), SwitchId(4), SwitchId(0)));
}

// Before the replacement, minhop's paths from and to spines turn at leaves.
TEST(SwitchReach, ShortestPathsOfSwitchesInCreditLoopsAreReplaced) {
  unsigned replaced = 0;
  for (const std::string& spec : damaged_trees()) {
    const Fabric fabric = fabric_of(spec, 1);
    auto routes = run_engine(*find_engine("minhop"), fabric, {});
    ASSERT_TRUE(routes);
    const Verdict before = verify(fabric, *routes);
    if (before.has_credit_loop()) {
      const Routes kept = *routes;
      EXPECT_FALSE(reconnect_switches(fabric, *routes, 1));
      EXPECT_EQ(*routes, kept)
          << "routes are unchanged if the paths between CAs have a credit loop";
      continue;
    }
    if (before.switches_ok()) continue;
    ASSERT_TRUE(reconnect_switches(fabric, *routes, 1));
    const Verdict after = verify(fabric, *routes);
    EXPECT_TRUE(after.ok()) << spec << ": " << failure_text(after);
    EXPECT_EQ(after.ca_to_ca.arrived, before.ca_to_ca.arrived);
    ++replaced;
  }
  EXPECT_GT(replaced, 10u);
}

TEST(SwitchReach, TablesAreEqualForAnyNumberOfThreads) {
  const Fabric fabric = fabric_of("fattree3:k=8,fail=6,seed=3", 0);
  RoutingOptions options;
  options.threads = 1;
  const auto one = run_engine(*find_engine("ftree"), fabric, options);
  options.threads = 8;
  const auto eight = run_engine(*find_engine("ftree"), fabric, options);
  ASSERT_TRUE(one && eight);
  EXPECT_EQ(*one, *eight);
}

Lid lid_of_switch(const Fabric& fabric, std::uint32_t sw) {
  return fabric.endport(Fabric::endport_of(SwitchId(sw))).lid;
}

// Spines S0 and S1; leaves S2, S3 and S4 with a host each. No cable joins S0 and S4.
TEST(SwitchReach, KeepsExistingEntries) {
  const Fabric fabric = Tiny(5)
                            .link(0, 2)
                            .link(0, 3)
                            .link(1, 2)
                            .link(1, 3)
                            .link(1, 4)
                            .hosts(2)
                            .hosts(3)
                            .hosts(4)
                            .build();
  auto plain = find_engine("ftree")->run(fabric, {});
  ASSERT_TRUE(plain);
  EXPECT_TRUE(verify(fabric, *plain).switches_ok());
  // Removes the paths between S0 and S4 over a third switch.
  plain->lfts.set(kS0, lid_of_switch(fabric, 4), kNoRoute);
  plain->lfts.set(kS0, fabric.endport(host_at(fabric, SwitchId(4), 0)).lid, kNoRoute);
  plain->lfts.set(SwitchId(4), lid_of_switch(fabric, 0), kNoRoute);
  EXPECT_FALSE(verify(fabric, *plain).switches_ok());
  Routes filled = *plain;
  EXPECT_GT(connect_switches(fabric, filled, 1), 0u);
  EXPECT_TRUE(verify(fabric, filled).ok());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (const Endport& to : fabric.endports()) {
      const PortNum port = plain->lfts.port(SwitchId(s), to.lid);
      EXPECT_TRUE(port == kNoRoute || filled.lfts.port(SwitchId(s), to.lid) == port);
    }
}

}  // namespace
}  // namespace weft
