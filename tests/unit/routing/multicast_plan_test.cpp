// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast plans: roots, trees that several groups share, VLs and errors.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <ranges>
#include <set>

#include "base/check.h"
#include "routing/engine.h"
#include "routing/multicast.h"
#include "support/groups.h"
#include "support/routed_by.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Lid kGroup{0xC000};

PortMask ports(std::initializer_list<unsigned> list) {
  PortMask mask;
  for (const unsigned port : list) mask.set(port);
  return mask;
}

MulticastPlan planned(const Fabric& fabric, const Routes& routes,
                      const std::vector<MulticastGroup>& groups,
                      const RoutingOptions& options = {}) {
  auto plan = plan_multicast(fabric, routes, options, groups);
  CHECK(plan.has_value());
  return std::move(*plan);
}

/// Routes on a ring S0 - S1 - S2 - S3 with a host on S0, S1 and S2, and two on S3. Paths turn in
/// one direction at all switches but S0, in the other direction at all but S2. So every tree over
/// all hosts closes a cycle with them. The paths have 16 different SLs, all on VL 0.
Routes routes_without_a_tree(const Fabric& fabric) {
  Routes routes;
  routes.engine = "test";
  routes.lfts = Lfts(4, fabric.lid_top());
  // Sets the output port of each switch to a host; 0: none.
  const auto set = [&](std::uint32_t sw, std::size_t host, std::array<unsigned, 4> out) {
    const Lid lid = fabric.endport(fabric.endports_at(SwitchId(sw))[host]).lid;
    for (std::uint32_t s = 0; s < 4; ++s)
      if (out[s] != 0)
        routes.lfts.set(SwitchId(s), lid, PortNum(static_cast<std::uint8_t>(out[s])));
  };
  set(0, 0, {3, 1, 2, 2});  // S2 - S3 - S0
  set(1, 0, {1, 3, 1, 0});  // none from S3
  set(2, 0, {2, 2, 3, 1});  // S0 - S3 - S2
  set(3, 0, {1, 2, 2, 3});  // S0 - S1 - S2 - S3
  set(3, 1, {2, 1, 1, 4});  // S2 - S1 - S0 - S3
  std::vector<std::uint8_t> sls(16);
  std::iota(sls.begin(), sls.end(), std::uint8_t{0});
  routes.path_sl = PathSl::by_switch_pair(4, std::move(sls));
  routes.sl2vl = Sl2Vl(modulo_map(1));
  return routes;
}

TEST(MulticastPlan, AdvisesOneMoreVlOnlyIfAnSlIsUnused) {
  const Fabric fabric = Tiny(4)
                            .link(0, 1)
                            .link(1, 2)
                            .link(2, 3)
                            .link(3, 0)
                            .hosts(0)
                            .hosts(1)
                            .hosts(2)
                            .hosts(3, 2)
                            .build();
  const auto advice = [&](const Routes& routes) {
    return planned(fabric, routes, {{kGroup, fabric.hosts(), {}}}, {.vls_max = 1}).notes;
  };
  Routes routes = routes_without_a_tree(fabric);
  EXPECT_THAT(advice(routes),
              ElementsAre(HasSubstr("deadlock; the paths use all SLs, so use -R nue or updn")));
  routes.path_sl = {};
  EXPECT_THAT(advice(routes), ElementsAre(HasSubstr("deadlock; provide one more VL, or use")));
}

// Cables S0 - S1, S1 - S2 and S1 - S3; hosts on S0, S2 and S3. Each of these switches is one hop
// from S1.
TEST(MulticastPlan, BranchesAtTheSwitchNearestToAllMembers) {
  const Fabric fabric =
      Tiny(4).link(0, 1).link(1, 2).link(1, 3).hosts(0).hosts(2, 2).hosts(3).build();
  const auto host = [&](std::uint32_t sw, std::size_t i = 0) {
    return fabric.endports_at(SwitchId(sw))[i];
  };
  const auto plan = planned(fabric, routed_by("minhop", fabric),
                            {{kGroup, {host(0), host(2, 1), host(3)}, {}},
                             {Lid(0xC007), {host(0)}, {}},
                             {Lid(0xC008), {host(0)}, {host(2)}}});
  EXPECT_EQ(plan.mfts.at(kGroup), (std::map<SwitchId, PortMask>{{SwitchId(0), ports({1, 2})},
                                                                {SwitchId(1), ports({1, 2, 3})},
                                                                {SwitchId(2), ports({1, 3})},
                                                                {SwitchId(3), ports({1, 2})}}));
  EXPECT_EQ(plan.mfts.at(Lid(0xC007)), (std::map<SwitchId, PortMask>{{SwitchId(0), ports({2})}}));
  EXPECT_EQ(plan.mfts.at(Lid(0xC008)),
            (std::map<SwitchId, PortMask>{
                {SwitchId(0), ports({2})}, {SwitchId(1), ports({1})}, {SwitchId(2), ports({1})}}))
      << "one direction only, from the sender to the receiver";
  EXPECT_TRUE(plan.sl.empty());
  EXPECT_TRUE(plan.notes.empty());
}

TEST(MulticastPlan, RefusesUnicastAndDuplicateLids) {
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  const Routes routes = routed_by("minhop", fabric);
  const auto failure_text = [&](const std::vector<MulticastGroup>& groups) {
    const auto plan = plan_multicast(fabric, routes, {}, groups);
    return plan ? "none" : plan.error().message;
  };
  const EndportId host = fabric.endports_at(SwitchId(0))[0];
  EXPECT_EQ(failure_text({{Lid(0xBFFF), {host}, {}}}),
            "0xBFFF is no multicast LID, expected 0xC000 to 0xFFFE");
  EXPECT_THAT(failure_text({{Lid(0xFFFF), {host}, {}}}), HasSubstr("0xFFFF is no multicast LID"));
  EXPECT_EQ(failure_text({{kGroup, {host}, {}}, {kGroup, {host}, {}}}),
            "multicast LID 0xC000 is given twice");
}

TEST(MulticastPlan, MakesATreeForEachPartOfAFabricAndOneNote) {
  const Fabric fabric = Tiny(2).hosts(0, 2).hosts(1, 2).build();
  std::vector<EndportId> all;
  for (std::uint32_t e = 2; e < fabric.endport_count(); ++e) all.push_back(EndportId(e));
  const auto plan = planned(fabric, routed_by("minhop", fabric), {{kGroup, all, {}}});
  EXPECT_EQ(plan.mfts.at(kGroup).size(), 2u);
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("0xC000 has members in 2 connected parts")));
}

TEST(MulticastPlan, ReplacesTheNotesOfAnEarlierPlan) {
  Routes routes;
  routes.notes = {"of the engine"};
  MulticastPlan first, second;
  first.notes = {"trees may deadlock", "a member is unreachable"};
  second.notes = {"a member is unreachable"};
  add_multicast(first, routes);
  EXPECT_THAT(routes.notes,
              ElementsAre("of the engine", "trees may deadlock", "a member is unreachable"));
  add_multicast(second, routes);
  EXPECT_THAT(routes.notes, ElementsAre("of the engine", "a member is unreachable"));
}

TEST(MulticastPlan, NotesTheFirstUnreachableMembersAndTheNumberOfOthers) {
  Tiny tiny(1);
  tiny.hosts(0, 2);
  // CAs cabled to CAs.
  for (unsigned pair = 0; pair < 5; ++pair) {
    std::array<FabricBuilder::NodeIndex, 2> ends{};
    for (unsigned end = 0; end < 2; ++end) {
      Node node;
      node.node_guid = node.system_guid = Guid(0x20000 + 32 * pair + 16 * end);
      node.port_count = 1;
      node.description = fmt::format("C{}", 2 * pair + end);
      ends[end] = tiny.builder().add_node(node);
    }
    ASSERT_TRUE(tiny.builder().connect(ends[0], PortNum(1), ends[1], PortNum(1)));
  }
  const Fabric fabric = tiny.build();
  std::vector<EndportId> members;
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    members.push_back(EndportId(e));
  ASSERT_EQ(members.size(), 12u);
  const auto notes = [&] {
    return planned(fabric, routed_by("minhop", fabric), {{kGroup, members, {}}}).notes;
  };
  const auto all = notes();
  ASSERT_EQ(all.size(), 9u);
  EXPECT_THAT(all.front(), HasSubstr("multicast group 0xC000: 'C0'"));
  EXPECT_THAT(all[7], HasSubstr("port 1 is unreachable"));
  EXPECT_EQ(all.back(), "multicast group 0xC000: 2 more members are unreachable");
  members.pop_back();
  EXPECT_EQ(notes().back(), "multicast group 0xC000: 1 more member is unreachable");
  members.pop_back();
  EXPECT_EQ(notes().size(), 8u);
}

// Unicast uses both directions of the ring, so a spanning tree can add a dependency cycle on a VL
// of unicast.
TEST(MulticastPlan, FormsNoCycleWithUnicastOnARing) {
  const Fabric fabric = fabric_of("ring:n=9,hosts=1", 0);
  Routes routes = routed_by("lash", fabric);
  ASSERT_GT(routes.vls, 1u);
  const auto groups = some_groups(fabric, 3);
  MulticastPlan plan = planned(fabric, routes, groups);
  const Verdict before = verify(fabric, routes);
  ASSERT_TRUE(before.ok());
  add_multicast(plan, routes);
  const Verdict verdict = verify(fabric, routes, {.groups = groups});
  EXPECT_TRUE(verdict.ok() && verdict.multicast_ok())
      << describe_cycle(fabric, verdict.multicast_credit_loop);

  RoutingOptions limited{};
  limited.vls_max = routes.vls > plan.vls ? routes.vls : 2;
  Routes limited_routes = routed_by("lash", fabric, limited);
  const MulticastPlan limited_plan = planned(fabric, limited_routes, groups, limited);
  EXPECT_LE(limited_plan.vls, limited.vls_max);
}

std::vector<MulticastGroup> groups_of_all_hosts(const Fabric& fabric, unsigned count) {
  std::vector<MulticastGroup> groups;
  for (unsigned i = 0; i < count; ++i) {
    MulticastGroup group{Lid(static_cast<std::uint16_t>(0xC000 + i)), {}, {}};
    for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
      group.members.push_back(EndportId(e));
    groups.push_back(group);
  }
  return groups;
}

// A leaf receives the packets of a group from one of its four uplinks. So the lowest possible load
// is 16 of the 64 groups on each uplink.
TEST(MulticastPlan, SpreadsGroupsOverRootsAndChannelsWithEveryEngine) {
  const Fabric fabric = fabric_of("fattree3:k=8", 0);
  const auto groups = groups_of_all_hosts(fabric, 64);
  for (const char* engine : {"minhop", "updn", "ftree", "dfsssp", "nue"}) {
    const auto plan = planned(fabric, routed_by(engine, fabric), groups);
    std::map<std::pair<SwitchId, unsigned>, unsigned> load;  // key: switch and output port
    for (const auto& [mlid, masks] : plan.mfts)
      for (const auto& [sw, mask] : masks)
        for (const Channel& channel : fabric.channels_from(sw))
          if (mask.test(channel.from_port.value())) ++load[{sw, channel.from_port.value()}];
    EXPECT_EQ(load.size(), fabric.channel_count()) << engine << ": every channel carries groups";
    EXPECT_EQ(std::ranges::max(load | std::views::values), 16u) << engine;
  }
}

TEST(MulticastPlan, SpreadsGroupsOverParallelCables) {
  const Fabric fabric = fabric_of("fattree2:k=8,trunks=2", 0);
  const auto plan = planned(fabric, routed_by("updn", fabric), groups_of_all_hosts(fabric, 32));
  std::set<std::pair<SwitchId, unsigned>> used;
  for (const auto& [mlid, masks] : plan.mfts)
    for (const auto& [sw, mask] : masks)
      for (const Channel& channel : fabric.channels_from(sw))
        if (mask.test(channel.from_port.value())) used.insert({sw, channel.from_port.value()});
  EXPECT_EQ(used.size(), fabric.channel_count());
}

TEST(MulticastPlan, KeepsATreeWhenOtherGroupsAreDeleted) {
  const Fabric fabric = fabric_of("fattree3:k=4", 0);
  auto groups = groups_of_all_hosts(fabric, 9);
  for (const char* engine : {"updn", "nue"}) {
    const Routes routes = routed_by(engine, fabric);
    const auto all = planned(fabric, routes, groups).mfts;
    const auto few = planned(fabric, routes, {groups[3], groups[7]}).mfts;
    EXPECT_EQ(few.size(), 2u);
    for (const auto& [mlid, masks] : few) EXPECT_EQ(masks, all.at(mlid)) << engine;
  }
}

TEST(MulticastPlan, IsTheSameForAnyNumberOfThreads) {
  for (const char* spec : {"torus:4x4,hosts=2", "random:n=32,degree=4,hosts=3,seed=5"})
    for (const char* engine : {"updn", "dfsssp", "lash", "nue"}) {
      const Fabric fabric = fabric_of(spec, 0);
      const auto groups = some_groups(fabric, 9);
      const Routes one = routed_by(engine, fabric, {.threads = 1, .groups = groups});
      for (const unsigned threads : {2u, 16u})
        EXPECT_TRUE(routed_by(engine, fabric, {.threads = threads, .groups = groups}) == one)
            << spec << ' ' << engine;
    }
}

}  // namespace
}  // namespace weft
