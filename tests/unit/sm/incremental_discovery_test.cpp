// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Incremental discovery: a bounded number of requests, and the same result as a full discovery.
#include "sm/discovery/incremental_discovery.h"

#include <gmock/gmock.h>

#include "support/fabric_state.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

/// A fat tree of 128 hosts with 32 leaves, 32 switches of rank 1 and 16 roots.
struct IncrementalDiscoveries : testing::Test {
  ManagedSubnet managed{fabric_of("fattree3:k=8")};
  std::uint64_t before = 0;

  void SetUp() override {
    managed.start();
    ASSERT_TRUE(managed.settle());
    managed.run_for(kSecond);
    mark();
  }
  void mark() { before = gets(); }
  std::uint64_t gets() {
    std::uint64_t sum = 0;
    for (const AttributeId attribute : {AttributeId::kNodeInfo, AttributeId::kPortInfo,
                                        AttributeId::kSwitchInfo, AttributeId::kNodeDescription})
      sum += managed.emulated().counters().requests(Method::kGet, attribute);
    return sum;
  }
  /// Runs the manager until the change is handled, without a full discovery.
  void expect_incremental_discovery() {
    managed.run_for(3 * kSecond);
    ASSERT_TRUE(managed.settle());
    EXPECT_TRUE(managed.report().discovered_incrementally) << managed.report().reason;
    expect_managed(managed);
    // Two sweeps, one for the trap of each end, with one request to each switch, and SwitchInfo and
    // 9 PortInfo of each affected switch. A full discovery sends 1,800 requests.
    EXPECT_LT(gets() - before, 2 * managed.fabric().switch_count() + 16 * 10u);
  }
  /// Expects that the manager's fabric equals the result of a full discovery.
  void expect_all_changes_found() {
    const Fabric known = managed.known();
    const auto lids = managed.emulated().lids();
    managed.sm().request_heavy_sweep("to compare");
    ASSERT_TRUE(managed.settle());
    EXPECT_FALSE(managed.report().discovered_incrementally);
    EXPECT_TRUE(managed.report().changes.empty());
    EXPECT_EQ(managed.report().applied.done_in(Phase::kTables), 0u);
    EXPECT_TRUE(are_equal_for_routing(managed.known(), known));
    EXPECT_EQ(managed.emulated().lids(), lids);
  }
  SwitchId leaf_of_manager() const {
    return managed.fabric().endport(EndportId(managed.fabric().switch_count())).sw;
  }
  /// The port of the switch on its n-th cable to another switch.
  PortId trunk_of(SwitchId sw, std::size_t n = 0) const {
    const Channel& channel = managed.fabric().channels_from(sw)[n];
    return managed.fabric().port_id(Fabric::node_of(sw), channel.from_port);
  }
};

TEST_F(IncrementalDiscoveries, HandlesACableOfTheManagersLeaf) {
  managed.emulated().cut_cable(trunk_of(leaf_of_manager()));
  expect_incremental_discovery();
  EXPECT_EQ(managed.known().link_count() + 1, managed.fabric().link_count());
  expect_all_changes_found();
  mark();
  managed.emulated().restore_cable(trunk_of(leaf_of_manager()));
  expect_incremental_discovery();
  EXPECT_EQ(managed.known().link_count(), managed.fabric().link_count());
  expect_all_changes_found();
}

TEST_F(IncrementalDiscoveries, HandlesAFlapOfTheManagersCable) {
  const PortId own = managed.fabric().endport(EndportId(managed.fabric().switch_count())).port;
  managed.emulated().cut_cable(own);
  managed.emulated().restore_cable(own);
  expect_incremental_discovery();
  EXPECT_TRUE(managed.emulated().carries_data(own));
  expect_all_changes_found();
}

TEST_F(IncrementalDiscoveries, HandlesAllButTheLastCableOfASwitchInTurn) {
  const auto channels = managed.fabric().channels_from(SwitchId(9));
  for (std::size_t n = 0; n + 1 < channels.size(); ++n) {
    mark();
    managed.emulated().cut_cable(trunk_of(SwitchId(9), n));
    expect_incremental_discovery();
  }
  expect_all_changes_found();
}

TEST_F(IncrementalDiscoveries, HandlesASwitchThatFailsAndReturns) {
  const NodeId core(managed.fabric().switch_count() - 1);
  managed.emulated().switch_off_node(core);
  managed.run_for(20 * kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().switch_count() + 1, managed.fabric().switch_count());
  expect_managed(managed);
  expect_all_changes_found();
  managed.emulated().switch_on_node(core);
  managed.run_for(20 * kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().switch_count(), managed.fabric().switch_count());
  expect_managed(managed);
  expect_all_changes_found();
}

TEST_F(IncrementalDiscoveries, ReprogramsARestartedHost) {
  const Endport& host = managed.fabric().endport(EndportId(managed.fabric().switch_count() + 77));
  managed.emulated().switch_off_node(host.node);
  expect_incremental_discovery();
  EXPECT_EQ(managed.known().ca_count() + 1, managed.fabric().ca_count());
  expect_all_changes_found();
  mark();
  managed.emulated().switch_on_node(host.node);
  expect_incremental_discovery();
  EXPECT_EQ(managed.known().ca_count(), managed.fabric().ca_count());
  expect_all_changes_found();
}

TEST_F(IncrementalDiscoveries, DetectsAHostRestartBetweenSweeps) {
  const Endport& host = managed.fabric().endport(EndportId(managed.fabric().switch_count() + 5));
  managed.emulated().switch_off_node(host.node);
  managed.emulated().switch_on_node(host.node);
  expect_incremental_discovery();
  EXPECT_EQ(managed.known().ca_count(), managed.fabric().ca_count());
  expect_all_changes_found();
}

TEST_F(IncrementalDiscoveries, SendNoRequestsToAnUnreachableSwitch) {
  const SwitchId leaf = managed.fabric().endports().back().sw;
  const std::size_t hosts = managed.fabric().endports_at(leaf).size();
  const std::size_t cables = managed.fabric().channels_from(leaf).size();
  for (std::size_t n = 0; n < cables; ++n) managed.emulated().cut_cable(trunk_of(leaf, n));
  expect_incremental_discovery();
  EXPECT_EQ(managed.report().smps.timed_out, 0u);
  EXPECT_EQ(managed.known().switch_count() + 1, managed.fabric().switch_count());
  EXPECT_EQ(managed.known().ca_count() + hosts, managed.fabric().ca_count());
  expect_all_changes_found();
  mark();
  for (std::size_t n = 0; n < cables; ++n) managed.emulated().restore_cable(trunk_of(leaf, n));
  managed.run_for(20 * kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().ca_count(), managed.fabric().ca_count());
  expect_managed(managed);
  expect_all_changes_found();
}

TEST_F(IncrementalDiscoveries, WithoutTrapsALightSweepFindsTheChange) {
  managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId) {
    return smp.method == Method::kTrap ? EmulatedFabric::Delivery::kLose
                                       : EmulatedFabric::Delivery::kPass;
  });
  managed.emulated().cut_cable(trunk_of(SwitchId(3)));
  managed.run_for(15 * kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().discovered_incrementally);
  expect_managed(managed);
  expect_all_changes_found();
}

TEST_F(IncrementalDiscoveries, HandlesSeveralChangesTogether) {
  for (const std::uint32_t sw : {1u, 6u, 20u, 33u})
    managed.emulated().cut_cable(trunk_of(SwitchId(sw)));
  managed.run_for(3 * kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().discovered_incrementally);
  EXPECT_EQ(managed.known().link_count() + 4, managed.fabric().link_count());
  expect_managed(managed);
  expect_all_changes_found();
}

TEST_F(IncrementalDiscoveries, FallsBackToFullDiscoveryWithoutAnswers) {
  const NodeId unanswering = Fabric::node_of(SwitchId(12));
  managed.emulated().set_filter([unanswering](const Smp&, NodeId from, NodeId) {
    return from == unanswering ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.emulated().cut_cable(trunk_of(SwitchId(3)));
  managed.run_for(15 * kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().discovered_incrementally);
}

}  // namespace
}  // namespace weft
