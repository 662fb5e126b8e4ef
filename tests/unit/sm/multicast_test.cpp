// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Multicast tables on the emulated fabric: they are programmed as planned, only differences are
// written, and old and new trees form no loops.

#include <gtest/gtest.h>

#include "emulator/snapshot.h"
#include "support/groups.h"
#include "support/managed_subnet.h"
#include "verify/verify.h"

namespace weft {
namespace {

/// The groups with their members by GUID, as in a file of groups.
std::vector<FiledGroup> filed(const Fabric& fabric, const std::vector<MulticastGroup>& groups) {
  std::vector<FiledGroup> result;
  const auto guids = [&](const std::vector<EndportId>& ids) {
    std::vector<Guid> list;
    for (const EndportId id : ids) list.push_back(fabric.port(fabric.endport(id).port).guid);
    return list;
  };
  for (const MulticastGroup& group : groups)
    if (!group.members.empty())
      result.push_back({group.mlid, guids(group.members), guids(group.senders), "test:1"});
  return result;
}

struct ProgrammedState {
  Fabric fabric;
  Routes routes;
  Verdict verdict;
};

ProgrammedState programmed_state_of(ManagedSubnet& managed,
                                    const std::vector<MulticastGroup>& groups = {}) {
  auto fabric = read_fabric(managed.emulated());
  CHECK(fabric.has_value());
  Routes routes = read_routes(managed.emulated());
  Verdict verdict = verify(*fabric, routes, {.groups = groups});
  return {std::move(*fabric), std::move(routes), std::move(verdict)};
}

std::uint64_t blocks_written(const SubnetManager& sm) {
  return sm.last_report().applied.done_in(Phase::kMulticast) +
         sm.last_report().applied.done_in(Phase::kMulticastCut);
}

TEST(SmMulticast, SwitchesHaveThePlannedTreesAndOnlyDifferencesAreWritten) {
  for (const char* spec : {"fattree2:k=6,hosts=2", "torus:4x4,hosts=2"}) {
    ManagedSubnet managed(fabric_of(spec));
    const auto groups = some_groups(managed.fabric(), 4);
    managed.options.routing.groups = filed(managed.fabric(), groups);
    SubnetManager& sm = managed.start();
    ASSERT_TRUE(managed.settle());
    ASSERT_TRUE(sm.last_report().up) << sm.last_report().error;
    EXPECT_GT(blocks_written(sm), 0u);
    const ProgrammedState held = programmed_state_of(managed);
    Mfts planned = sm.snapshot()->routes.mfts;
    std::erase_if(planned, [](const auto& group) { return group.second.empty(); });
    EXPECT_EQ(held.routes.mfts, planned) << spec;
    EXPECT_TRUE(held.verdict.multicast_ok()) << spec;
    for (std::uint32_t s = 0; s < held.fabric.switch_count(); ++s)
      EXPECT_EQ(managed.emulated().switch_info(SwitchId(s)).multicast_fdb_top,
                planned.rbegin()->first);

    sm.request_heavy_sweep("again");
    ASSERT_TRUE(managed.settle());
    EXPECT_EQ(blocks_written(sm), 0u);
    EXPECT_EQ(sm.last_report().applied.done_in(Phase::kSwitches), 0u);
  }
}

// 20 hosts on each of two switches: the table has a second mask, for ports 16 to 31.
TEST(SmMulticast, PortsBeyondTheFifteenthReceiveCopies) {
  ManagedSubnet managed(Tiny(2, 40).hosts(0, 20).hosts(1, 20).link(0, 1, 2).build());
  const auto groups = some_groups(managed.fabric(), 5);
  managed.options.routing.groups = filed(managed.fabric(), groups);
  SubnetManager& sm = managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(sm.last_report().up) << sm.last_report().error;
  const ProgrammedState held = programmed_state_of(managed);
  EXPECT_TRUE(held.verdict.multicast_ok());
  const auto& tree = held.routes.mfts.begin()->second;
  ASSERT_TRUE(tree.contains(SwitchId(0)));
  for (unsigned port = 1; port <= 20; ++port)
    EXPECT_TRUE(tree.at(SwitchId(0))[port]) << "port " << port;
}

// dfp uses VLs 0 and 1 for unicast, and a third VL, if available, for multicast trees, also of
// groups that are created later.
TEST(SmMulticast, TreesUseOnlyVlsUpToMaxOpVls) {
  for (const unsigned code : {2u, 3u}) {  // 2 and 4 data VLs
    ManagedSubnet managed(fabric_of("dragonfly:a=4,h=2,p=2"));
    managed.options.routing_engine = {{"dfp"}, false};
    managed.options.max_op_vls = static_cast<std::uint8_t>(code);
    SubnetManager& sm = managed.start();
    ASSERT_TRUE(managed.settle());
    EXPECT_EQ(sm.snapshot()->routes.vls, 2u);
    sm.set_multicast_groups(filed(managed.fabric(), some_groups(managed.fabric(), 3)));
    ASSERT_TRUE(managed.settle());
    EXPECT_TRUE(sm.last_report().routes_reused);
    EXPECT_EQ(sm.snapshot()->routes.vls, code)
        << "the trees of groups that hosts joined must use the VLs up to max_op_vls";
    for (const std::uint64_t seed : {1, 2}) {
      managed.options.routing.groups = filed(managed.fabric(), some_groups(managed.fabric(), seed));
      sm.set_options(managed.options);
      sm.request_heavy_sweep("other groups");
      ASSERT_TRUE(managed.settle());
      EXPECT_EQ(sm.snapshot()->routes.engine, "dfp");
      EXPECT_EQ(sm.snapshot()->routes.vls, code)
          << "paths use 2 VLs, trees a third VL if available; seed " << seed;
    }
  }
}

TEST(SmMulticast, ChangesOfTreesFormNoLoops) {
  ManagedSubnet managed(fabric_of("torus:4x4,hosts=2"));
  SubnetManager& sm = managed.start();
  ASSERT_TRUE(managed.settle());
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto groups = some_groups(managed.fabric(), seed);
    managed.options.routing.groups = filed(managed.fabric(), groups);
    sm.set_options(managed.options);
    sm.request_heavy_sweep("other groups");
    while (!sm.settled()) {
      sm.step();
      const ProgrammedState now = programmed_state_of(managed);
      ASSERT_EQ(now.verdict.multicast.loops, 0u) << "seed " << seed;
      ASSERT_EQ(now.verdict.multicast.twice, 0u) << "seed " << seed;
    }
    ASSERT_TRUE(sm.last_report().up);
    EXPECT_TRUE(programmed_state_of(managed).verdict.multicast_ok());
  }
}

TEST(SmMulticast, TablesThatAreAsPlannedAreReadAndNotWritten) {
  ManagedSubnet managed(fabric_of("torus:3x3,hosts=2"));
  managed.options.routing.groups = filed(managed.fabric(), some_groups(managed.fabric(), 3));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto sets = [&] { return managed.sets(AttributeId::kMulticastForwardingTable); };
  managed.emulated().reset_counters();
  managed.sm().request_full_discovery("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(sets(), 0u)
      << "a table must not be emptied even for a moment, because packets would be lost";
  EXPECT_TRUE(programmed_state_of(managed).verdict.multicast_ok());
  managed.start();  // a restart writes nothing either
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(sets(), 0u);
  EXPECT_TRUE(programmed_state_of(managed).verdict.multicast_ok());
}

TEST(SmMulticast, RemovesEntriesOfDeletedGroups) {
  ManagedSubnet managed(fabric_of("ring:n=5,hosts=2"));
  managed.options.routing.groups = filed(managed.fabric(), some_groups(managed.fabric(), 1));
  SubnetManager& sm = managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_FALSE(programmed_state_of(managed).routes.mfts.empty());
  managed.options.routing.groups.clear();
  sm.set_options(managed.options);
  sm.request_heavy_sweep("no groups");
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(programmed_state_of(managed).routes.mfts.empty());
  EXPECT_EQ(managed.emulated().switch_info(SwitchId(0)).multicast_fdb_top, Lid(0xBFFF));
}

TEST(SmMulticast, RemovesEntriesOfAPreviousManager) {
  ManagedSubnet managed(fabric_of("ring:n=5,hosts=2"));
  managed.options.routing.groups = filed(managed.fabric(), some_groups(managed.fabric(), 1));
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_FALSE(programmed_state_of(managed).routes.mfts.empty());
  managed.options.routing.groups.clear();
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(programmed_state_of(managed).routes.mfts.empty());
  EXPECT_EQ(managed.emulated().switch_info(SwitchId(0)).multicast_fdb_top, Lid(0xBFFF));
}

}  // namespace
}  // namespace weft
