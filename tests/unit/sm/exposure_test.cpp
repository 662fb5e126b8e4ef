// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Deadlock risk of updates: an update reported as deadlock-free passes the verifier in every
// intermediate state.
#include "sm/transition/exposure.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "fabric/generators/spec.h"
#include "fabric/without.h"
#include "routes/carry_over.h"
#include "routing/engine.h"
#include "routing/multicast.h"
#include "routing/updn.h"
#include "sm/programming/held_trees.h"
#include "sm/transition/change_exposure.h"
#include "support/fabrics.h"
#include "support/groups.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "unit/sm/replayed.h"
#include "verify/proof.h"
#include "verify/verify.h"

namespace weft {
namespace {

/// Routes of an engine, with multicast groups. Members are hosts, and port 0 of switches if
/// `switches_too`.
Result<Routes> routes_with_groups(const Fabric& fabric, const char* engine, std::uint32_t root,
                                  bool switches_too = true) {
  RoutingOptions options{.threads = 1};
  if (std::string_view(engine) != "ftree") options.roots = {SwitchId(root % fabric.switch_count())};
  auto routes = run_engine(*find_engine(engine), fabric, options);
  if (!routes) return routes;
  auto groups = some_groups(fabric, root);
  if (!switches_too)
    for (MulticastGroup& group : groups)
      std::erase_if(group.members,
                    [&](EndportId id) { return fabric.is_switch(fabric.endport(id).node); });
  auto plan = plan_multicast(fabric, *routes, options, groups);
  if (!plan) return forward(plan);
  add_multicast(std::move(*plan), *routes);
  return routes;
}

struct Changed {
  TransitionReport report;
  Plan plan;
};

Changed change(const Fabric& fabric, const Routes& before, const Routes& wanted,
               bool ignore_replies = false) {
  Changed changed;
  HeldTables held = held_tables_of(fabric, before.lfts);
  record_trees(held, fabric, before.mfts);
  changed.plan[Phase::kTables] = differing_writes(fabric, held, wanted.lfts);
  changed.report =
      plan_transition(fabric, held, wanted, {&fabric, &before}, changed.plan, 1, ignore_replies);
  return changed;
}

bool may_deadlock(const Fabric& fabric, const Routes& routes) {
  const Verdict verdict = verify(fabric, routes, {.threads = 1});
  return verdict.has_credit_loop() || !verdict.multicast_credit_loop.empty() ||
         !verdict.switch_credit_loop.empty();
}

/// Replays the plan write by write, with the old VLs and trees, and counts states with credit
/// loops.
std::uint64_t bad_states(const Fabric& fabric, const Routes& before, const Routes& wanted,
                         const Plan& plan) {
  Replay replay(fabric, before.lfts, wanted.lfts);
  std::uint64_t bad = 0;
  const std::vector<Op>& ops = plan[Phase::kTables];
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto& parts = plan.table_rounds.parts;
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const TablePart& p) { return p.op == i; });
    replay.write(ops[i], part == parts.end() ? ~std::uint64_t{0} : part->lids);
    Routes now = before;
    now.lfts = replay.tables();
    if (may_deadlock(fabric, now)) ++bad;
  }
  EXPECT_EQ(replay.loops(), 0u);
  return bad;
}

TEST(Exposure, UpdatesReportedAsDeadlockFreeHaveNoCreditLoopInAnyState) {
  std::uint64_t free = 0, exposed = 0, bad = 0, staged = 0;
  std::uint32_t root = 0;
  for (const char* spec : kSmallSpecs) {
    const Fabric fabric = fabric_of(spec);
    for (const auto& [old_engine, engine] :
         {std::pair("updn", "updn"), std::pair("updn", "nue"), std::pair("dfsssp", "updn")}) {
      const auto before = routes_with_groups(fabric, old_engine, 0);
      const auto wanted = routes_with_groups(fabric, engine, ++root);
      if (!before || !wanted) continue;
      if (may_deadlock(fabric, *before)) continue;
      const Changed changed = change(fabric, *before, *wanted);
      if (changed.plan[Phase::kTables].empty()) continue;
      const std::uint64_t found = bad_states(fabric, *before, *wanted, changed.plan);
      if (changed.report.tables == Exposure::kNone) {
        ++free;
        EXPECT_EQ(found, 0u) << spec << " from " << old_engine << " to " << engine;
        EXPECT_EQ(changed.report.table_channels, 0u);
      } else {
        ++exposed;
        bad += found;
        EXPECT_GT(changed.report.table_channels, 0u);
        EXPECT_FALSE(warnings_of(changed.report).empty());
      }
      if (changed.report.stages > 1) ++staged;
    }
  }
  // With fewer cases the test would not detect an error.
  EXPECT_GT(free, 5u);
  EXPECT_GT(exposed, 5u);
  EXPECT_GT(bad, 0u);
  fmt::print("{} free, {} exposed, {} states with loops, {} in stages\n", free, exposed, bad,
             staged);
}

TEST(Exposure, UpdatesOnATreeAreUpAndDownForAnyEngines) {
  const Fabric fabric = fabric_of("fattree3:k=4");
  const auto before = routes_with_groups(fabric, "minhop", 0, false),
             wanted = routes_with_groups(fabric, "ftree", 0, false);
  ASSERT_TRUE(before && wanted);
  HeldTables held = held_tables_of(fabric, before->lfts);
  record_trees(held, fabric, before->mfts);
  Plan plan;
  plan[Phase::kTables] = differing_writes(fabric, held, wanted->lfts);
  ASSERT_FALSE(plan[Phase::kTables].empty());
  // The old SLs are unknown; on a tree no SL can close a cycle.
  const TransitionReport report = plan_transition(fabric, held, *wanted, {}, plan, 1);
  EXPECT_EQ(report.tables, Exposure::kNone);
  EXPECT_EQ(report.rounds, 1u);
}

/// A leaf that lost a cable to a switch reaches this switch only by a path that goes down and up
/// again. Old and new entries together have a cycle at the leaf, which the order of writes
/// prevents.
TEST(Exposure, OrderOfWritesAfterALostCableOfALeafIsFreeOfCycles) {
  const Fabric whole = fabric_of("fattree3:k=4");
  const Channel& cable = whole.channels_from(whole.endports().back().sw).front();
  const PortId end = whole.port_id(Fabric::node_of(cable.from), cable.from_port);
  const Fabric left = without(whole, {}, std::span(&end, 1));
  const Routes before = *route_updn(whole, {});
  Routes carried = before;
  carried.lfts = carry_over(whole, before.lfts, left);
  RoutingOptions options{.threads = 1};
  options.previous = carried.lfts;
  options.previous_engine = before.engine;
  const Routes wanted = *route_updn(left, options);
  const Changed changed = change(left, carried, wanted);
  EXPECT_GT(changed.report.ordered_lids, 0u);
  EXPECT_GT(changed.report.rounds, 1u);
  EXPECT_EQ(changed.report.stages, 1u);
  EXPECT_EQ(changed.report.tables, Exposure::kNone);
  EXPECT_EQ(bad_states(left, carried, wanted, changed.plan), 0u);
}

TEST(Exposure, IsUnknownWithoutOldServiceLevels) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=2");
  const auto before = routes_with_groups(fabric, "updn", 0),
             wanted = routes_with_groups(fabric, "updn", 9);
  ASSERT_TRUE(before && wanted);
  const HeldTables held = held_tables_of(fabric, before->lfts);
  Plan plan;
  plan[Phase::kTables] = differing_writes(fabric, held, wanted->lfts);
  ASSERT_FALSE(plan[Phase::kTables].empty());
  EXPECT_EQ(plan_transition(fabric, held, *wanted, {}, plan, 1).tables, Exposure::kNotVerified);
}

/// Report of an update from a fabric without switch 5 to the whole fabric. The old routes have no
/// SLs for the LIDs of switch 5.
TransitionReport return_of_a_switch(const char* spec, const char* engine) {
  const Fabric whole = fabric_of(spec);
  const NodeId missing[] = {NodeId(5)};
  const Fabric damaged = without(whole, missing, {});
  const auto before = routes_with_groups(damaged, engine, 0),
             wanted = routes_with_groups(whole, engine, 0);
  if (!before || !wanted) return {.tables = Exposure::kNotVerified};
  const HeldTables held = held_tables_of(whole, carry_over(damaged, before->lfts, whole));
  Plan plan;
  plan[Phase::kTables] = differing_writes(whole, held, wanted->lfts);
  return plan_transition(whole, held, *wanted, {&damaged, &*before}, plan, 1, false);
}

TEST(Exposure, IsComputedWithSeveralVlsIfASwitchReturns) {
  EXPECT_EQ(return_of_a_switch("torus:4x4,hosts=1", "dfsssp").tables, Exposure::kCycle);
  // Packets change their VL at global links; a check that ignores the change would report a cycle.
  const TransitionReport lanes_by_port = return_of_a_switch("dragonfly:a=4,h=2,p=2", "dfp");
  EXPECT_EQ(lanes_by_port.tables, Exposure::kNone);
  EXPECT_EQ(lanes_by_port.lanes, Exposure::kNone);
}

TEST(Exposure, IsComputedWithoutHosts) {
  Tiny tiny(5);
  for (unsigned sw = 0; sw < 5; ++sw) tiny.link(sw, (sw + 1) % 5);
  const Fabric fabric = tiny.build();
  const auto before = routes_with_groups(fabric, "updn", 0),
             wanted = routes_with_groups(fabric, "updn", 2);
  ASSERT_TRUE(before && wanted);
  const Changed changed = change(fabric, *before, *wanted);
  ASSERT_FALSE(changed.plan[Phase::kTables].empty());
  EXPECT_NE(changed.report.tables, Exposure::kNotVerified);
}

TEST(Exposure, CountsServiceLevelsThatChange) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=2");
  const auto before = routes_with_groups(fabric, "updn", 0),
             wanted = routes_with_groups(fabric, "dfsssp", 0);
  ASSERT_TRUE(before && wanted);
  const TransitionReport report = change(fabric, *before, *wanted).report;
  EXPECT_GT(report.sl_changes, 0u);
  EXPECT_NE(report.lanes, Exposure::kNothingChanges);
  EXPECT_EQ(report.lanes == Exposure::kCycle, report.lane_channels > 0);
}

/// Four switches in a ring, clockwise 0 1 2 3, with a host on port 3 of each.
///
///   [S0]-[S1]
///    |    |
///   [S3]-[S2]
Tiny ring_of_four() {
  return Tiny(4).link(0, 1).link(1, 2).link(2, 3).link(3, 0).hosts(0).hosts(1).hosts(2).hosts(3);
}
constexpr PortNum kHostPort{3};

PortNum port_to(const Fabric& fabric, unsigned from, unsigned to) {
  for (const Channel& channel : fabric.channels_from(SwitchId(from)))
    if (channel.to == SwitchId(to)) return channel.from_port;
  return kNoRoute;
}

/// Shortest paths on ring_of_four(). `by[s]` is the next switch on the path from s to the switch
/// opposite of s.
Routes on_ring(const Fabric& fabric, std::array<unsigned, 4> by) {
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  for (const Endport& endport : fabric.endports())
    for (unsigned s = 0; s < 4; ++s) {
      const unsigned to = endport.sw.value();
      PortNum out = fabric.is_switch(endport.node) ? PortNum(0) : kHostPort;
      if (s != to) out = port_to(fabric, s, (s + to) % 2 == 0 ? by[s] : to);
      routes.lfts.set(SwitchId(s), endport.lid, out);
    }
  return routes;
}

constexpr Lid kGroup{0xC000};

/// Adds a group with the hosts of these switches. Its tree is the chain of the switches.
void add_chain(const Fabric& fabric, Routes& routes, const std::vector<unsigned>& chain) {
  for (std::size_t i = 0; i < chain.size(); ++i) {
    PortMask& mask = routes.mfts[kGroup][SwitchId(chain[i])];
    mask.set(kHostPort.value());
    if (i > 0) mask.set(port_to(fabric, chain[i], chain[i - 1]).value());
    if (i + 1 < chain.size()) mask.set(port_to(fabric, chain[i], chain[i + 1]).value());
  }
}

/// The clockwise unicast paths are 0-1-2 and 3-0-1 before, 0-1-2 and 1-2-3 after. While old and new
/// paths are in use, they form a cycle with the path 2-3-0 of the old multicast tree, and a second
/// cycle in the other direction.
TEST(Exposure, IncludesCyclesOfUnicastAndMulticastPackets) {
  const Fabric fabric = ring_of_four().build();
  Routes before = on_ring(fabric, {1, 0, 1, 0}), wanted = on_ring(fabric, {1, 2, 1, 2});
  const TransitionReport unicast = change(fabric, before, wanted).report;
  EXPECT_EQ(unicast.tables, Exposure::kNone);
  add_chain(fabric, before, {2, 3, 0});
  add_chain(fabric, wanted, {0, 1, 2});
  ASSERT_FALSE(may_deadlock(fabric, before));
  ASSERT_FALSE(may_deadlock(fabric, wanted));
  const Changed changed = change(fabric, before, wanted);
  EXPECT_GT(bad_states(fabric, before, wanted, changed.plan), 0u);  // the reported cycle exists
  EXPECT_EQ(changed.report.tables, Exposure::kCycle);
  EXPECT_EQ(changed.report.table_channels, 8u);
  EXPECT_EQ(changed.report.table_channels_unicast, 0u);
  EXPECT_GT(changed.report.exposed_rounds, 0u);
  EXPECT_THAT(warnings_of(changed.report),
              testing::ElementsAre(testing::HasSubstr("with multicast only")));
}

TEST(Exposure, StagesKeepUnicastAndMulticastTogetherFreeOfCycles) {
  const Fabric low = ring_of_four().build();
  std::vector<LidRange> lids;
  for (const Endport& endport : low.endports())  // the LIDs at S3 are in a separate block
    lids.push_back(
        {Lid(static_cast<std::uint16_t>(lids.size() + (endport.sw == SwitchId(3) ? 65 : 1))), 0});
  const Fabric fabric = *low.with_lids(lids);
  Routes before = on_ring(fabric, {1, 0, 1, 0}), wanted = on_ring(fabric, {1, 2, 1, 2});
  EXPECT_EQ(change(fabric, before, wanted).report.stages, 1u);
  auto& tree = before.mfts[kGroup];  // the tree is one-way: only the clockwise cycle exists
  tree[SwitchId(2)].set(port_to(fabric, 2, 3).value());
  tree[SwitchId(3)].set(port_to(fabric, 3, 0).value());
  tree[SwitchId(0)].set(kHostPort.value());
  const Changed changed = change(fabric, before, wanted);
  EXPECT_EQ(changed.report.stages, 2u);
  EXPECT_EQ(changed.report.tables, Exposure::kNone);
  EXPECT_EQ(bad_states(fabric, before, wanted, changed.plan), 0u);
}

/// Requests from S2 to S0 have a separate VL, but replies from S2 to S0 are on the VL of the other
/// packets. While the paths 1-2-3 and 3-0-1 are both in use, there is a cycle.
TEST(Exposure, RepliesOnTheServiceLevelOfTheRequestAreCounted) {
  const Fabric fabric = ring_of_four().build();
  Routes before = on_ring(fabric, {1, 0, 3, 0}), wanted = on_ring(fabric, {1, 2, 3, 2});
  std::vector<std::uint8_t> table(16, 0);
  table[2 * 4 + 0] = 1;
  before.path_sl = wanted.path_sl = PathSl::by_switch_pair(4, table);
  before.sl2vl = wanted.sl2vl = Sl2Vl(modulo_map(2));
  ASSERT_FALSE(may_deadlock(fabric, before));
  ASSERT_FALSE(may_deadlock(fabric, wanted));
  const Changed changed = change(fabric, before, wanted);
  EXPECT_GT(bad_states(fabric, before, wanted, changed.plan), 0u);
  EXPECT_EQ(changed.report.tables, Exposure::kCycle);
  EXPECT_EQ(changed.report.table_channels, 4u);
  EXPECT_EQ(changed.report.table_channels_unicast, 4u);
  EXPECT_EQ(change(fabric, before, wanted, true).report.tables, Exposure::kNone);
}

/// Paths follow 0-1-2-3-0 before and after; only packets from S0 to port 0 of S2 change their next
/// hop from S3 to S1. The new SL from S0 to S2 is the old SL between S1 and S3. The replies of S2
/// on this SL close a cycle; the requests alone do not.
TEST(Exposure, RepliesOnNewServiceLevelsAreCounted) {
  const Fabric fabric = ring_of_four().build();
  Routes before = on_ring(fabric, {1, 2, 3, 0}), wanted = before;
  const Lid port_0_of_s2 = fabric.endport(Fabric::endport_of(SwitchId(2))).lid;
  before.lfts.set(SwitchId(0), port_0_of_s2, port_to(fabric, 0, 3));
  std::vector<std::uint8_t> old_sls(16, 0), new_sls(16, 0);
  old_sls[1 * 4 + 3] = old_sls[3 * 4 + 1] = 1;
  new_sls[0 * 4 + 2] = 1;
  new_sls[1 * 4 + 3] = new_sls[3 * 4 + 1] = 2;
  before.path_sl = PathSl::by_switch_pair(4, old_sls);
  wanted.path_sl = PathSl::by_switch_pair(4, new_sls);
  before.sl2vl = wanted.sl2vl = Sl2Vl(modulo_map(3));
  ASSERT_FALSE(may_deadlock(fabric, before));
  ASSERT_FALSE(may_deadlock(fabric, wanted));
  const TransitionReport report = change(fabric, before, wanted).report;
  EXPECT_EQ(report.lanes, Exposure::kCycle);
  EXPECT_EQ(report.lane_channels, 4u);
  EXPECT_EQ(change(fabric, before, wanted, true).report.lanes, Exposure::kNone);
}

/// The new routes give the group a separate VL, but its members keep the SL of their join.
TEST(Exposure, MembersThatKeepTheServiceLevelOfTheirGroupAreCounted) {
  const Fabric fabric = ring_of_four().build();
  Routes before = on_ring(fabric, {1, 0, 1, 0}), wanted = on_ring(fabric, {1, 2, 1, 0});
  before.sl2vl = wanted.sl2vl = Sl2Vl(modulo_map(2));
  add_chain(fabric, before, {2, 3, 0});
  add_chain(fabric, wanted, {2, 3, 0});
  wanted.multicast_sl[kGroup] = Sl(1);
  ASSERT_FALSE(may_deadlock(fabric, before));
  ASSERT_FALSE(may_deadlock(fabric, wanted));
  const TransitionReport report = change(fabric, before, wanted).report;
  EXPECT_EQ(report.lanes, Exposure::kCycle);
  EXPECT_EQ(report.lane_channels, 4u);
  EXPECT_EQ(report.lane_channels_unicast, 0u);
  EXPECT_THAT(warnings_of(report).back(), testing::HasSubstr("with multicast only"));
  before.multicast_sl[kGroup] = Sl(1);
  const TransitionReport apart = change(fabric, before, wanted).report;
  EXPECT_EQ(apart.tables, Exposure::kNone);
  EXPECT_EQ(apart.lanes, Exposure::kNothingChanges);
}

/// Switches have the tree of a group that the old routes lack, as after a takeover. The packets of
/// the group are on the SL of the new routes.
TEST(Exposure, GroupsNewToTheManagerUseTheServiceLevelOfTheNewRoutes) {
  const Fabric fabric = ring_of_four().build();
  Routes before = on_ring(fabric, {1, 0, 1, 0}), wanted = on_ring(fabric, {1, 2, 1, 2});
  before.sl2vl = wanted.sl2vl = Sl2Vl(modulo_map(2));
  add_chain(fabric, wanted, {2, 3, 0});
  HeldTables held = held_tables_of(fabric, before.lfts);
  record_trees(held, fabric, wanted.mfts);
  const std::vector<Op> ops = differing_writes(fabric, held, wanted.lfts);
  const TableOrder order = order_tables(fabric, held, wanted.lfts, ops, {}, 1);
  for (const bool apart : {false, true}) {
    wanted.multicast_sl[kGroup] = Sl(apart ? 1 : 0);
    const Proof proof = prove(fabric, wanted, {.threads = 1});
    const auto exposure = ChangeExposure::of(fabric, held, wanted, {&fabric, &before},
                                             proof.dependencies.switches, ops, 1, false);
    ASSERT_TRUE(exposure);
    EXPECT_EQ(exposure->is_safe_in(order), apart);
  }
}

TEST(Exposure, IsUnknownWithoutOldMulticastTables) {
  const Fabric fabric = ring_of_four().build();
  const Routes before = on_ring(fabric, {1, 0, 1, 0}), wanted = on_ring(fabric, {1, 2, 1, 2});
  HeldTables held = held_tables_of(fabric, before.lfts);
  held.at(fabric.node(SwitchId(2)).node_guid).set_multicast_top(kGroup);
  EXPECT_FALSE(are_trees_known(held, fabric));
  Plan plan;
  plan[Phase::kTables] = differing_writes(fabric, held, wanted.lfts);
  const RoutesBefore known{&fabric, &before};
  EXPECT_EQ(plan_transition(fabric, held, wanted, known, plan, 1).tables, Exposure::kNotVerified);
  record_trees(held, fabric, {{kGroup, {}}});
  EXPECT_TRUE(are_trees_known(held, fabric));
}

TEST(Exposure, AMulticastTreeWithAnUpHopAfterADownHopIsNotUpAndDown) {
  const Fabric fabric = fabric_of("fattree2:k=4");
  auto before = routes_with_groups(fabric, "minhop", 0, false),
       wanted = routes_with_groups(fabric, "ftree", 0, false);
  ASSERT_TRUE(before && wanted);
  const auto exposure_of_tables = [&] {
    HeldTables held = held_tables_of(fabric, before->lfts);
    record_trees(held, fabric, before->mfts);
    Plan plan;
    plan[Phase::kTables] = differing_writes(fabric, held, wanted->lfts);
    EXPECT_FALSE(plan[Phase::kTables].empty());
    return plan_transition(fabric, held, *wanted, {}, plan, 1).tables;
  };
  EXPECT_EQ(exposure_of_tables(), Exposure::kNone);
  // A leaf forwards multicast packets from one spine up to another spine.
  SwitchId leaf(0);
  while (fabric.endports_at(leaf).empty()) leaf = SwitchId(leaf.value() + 1);
  auto& bad = before->mfts[Lid(0xC020)];
  for (const Channel& up : fabric.channels_from(leaf)) {
    bad[leaf].set(up.from_port.value());
    bad[up.to].set(up.to_port.value());
  }
  EXPECT_EQ(exposure_of_tables(), Exposure::kNotVerified);
}

TEST(Exposure, RecordedTreesMatchTheTablesOfTheSwitches) {
  const Fabric fabric = fabric_of("torus:4x4,hosts=2");
  const auto routes = routes_with_groups(fabric, "updn", 3);
  ASSERT_TRUE(routes && !routes->mfts.empty());
  HeldTables held;
  record_trees(held, fabric, routes->mfts);
  Mfts wanted = routes->mfts;
  for (auto& [mlid, masks] : wanted)
    std::erase_if(masks, [](const auto& entry) { return entry.second.none(); });
  std::erase_if(wanted, [](const auto& tree) { return tree.second.empty(); });
  EXPECT_EQ(held_trees(held, fabric), wanted);
}

}  // namespace
}  // namespace weft
