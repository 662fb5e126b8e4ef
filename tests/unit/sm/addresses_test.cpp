// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// LIDs, GUIDs and the port of the manager: conflicts, ranges, exhaustion, and a port without a
// cable or without answers.
#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <set>

#include "ib/node_info.h"
#include "support/fabric_state.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// Expects that no LID is assigned twice, and that each endport has an aligned range of 2^LMC LIDs.
void expect_valid_lids(const ManagedSubnet& managed, std::uint8_t lmc) {
  std::set<unsigned> held;
  const Fabric& known = managed.known();
  for (const Endport& endport : known.endports()) {
    EXPECT_EQ(endport.lmc, known.is_switch(endport.node) ? 0 : lmc);
    EXPECT_EQ(endport.lid.value() % (1u << endport.lmc), 0u);
    for (unsigned i = 0; i < 1u << endport.lmc; ++i)
      EXPECT_TRUE(held.insert(endport.lid.value() + i).second) << "the LID is assigned twice";
  }
}

/// Cuts the cable and starts a manager without stored LIDs in each half, so that both assign LIDs
/// from 1. By default the last manager is in the half of S0.
void manage_halves_separately(ManagedSubnet& managed, PortId cable,
                              std::initializer_list<unsigned> manager_endports = {5, 2}) {
  managed.emulated().cut_cable(cable);
  managed.options.cache_dir.clear();
  for (const unsigned own_endport : manager_endports) {
    managed.attach_at(EndportId(own_endport));
    managed.start();
    ASSERT_TRUE(managed.settle());
  }
}

//  H0 H1 H2 - S0 --- S1 - H3 H4 H5
TEST(Addresses, MergedSubnetsKeepLidsWithoutConflict) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0, 3).hosts(1, 3);
  ManagedSubnet managed(tiny.build());
  const PortId cable = managed.cable_between(SwitchId(0), SwitchId(1));
  ASSERT_NO_FATAL_FAILURE(manage_halves_separately(managed, cable));
  const auto before = managed.emulated().lids();
  EXPECT_EQ(before[0], before[1]) << "both halves assign LIDs from 1";
  managed.emulated().restore_cable(cable);
  managed.run_for(kSecond);
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.known().node_count(), 8u);
  expect_valid_lids(managed, 0);
  const auto after = managed.emulated().lids();
  for (const unsigned own : {0u, 2u, 3u, 4u}) EXPECT_EQ(after[own], before[own]);

  managed.options.cache_dir.clear();  // a manager without stored LIDs keeps all LIDs of ports
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.emulated().lids(), after);
}

/// The new ports come before the other ports in the order of assignment.
TEST(Addresses, NewPortsDoNotReceiveAssignedLids) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0, 3).hosts(1, 3);
  ManagedSubnet managed(tiny.build());
  const PortId cable = managed.cable_between(SwitchId(0), SwitchId(1));
  ASSERT_NO_FATAL_FAILURE(manage_halves_separately(managed, cable, {2, 5}));
  const auto before = managed.emulated().lids();
  ASSERT_EQ(before[0], before[1]);
  managed.emulated().restore_cable(cable);
  managed.run_for(kSecond);
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  expect_valid_lids(managed, 0);
  const auto after = managed.emulated().lids();
  for (const unsigned own : {1u, 5u, 6u, 7u}) EXPECT_EQ(after[own], before[own]) << own;
}

TEST(Addresses, ReportsTwoPortsWithOneLid) {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0, 3).hosts(1, 3);
  ManagedSubnet managed(tiny.build());
  const PortId cable = managed.cable_between(SwitchId(0), SwitchId(1));
  ASSERT_NO_FATAL_FAILURE(manage_halves_separately(managed, cable));
  managed.end_manager();
  managed.emulated().restore_cable(cable);
  managed.emulated().run_for(kSecond);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("assigned twice")));
  expect_managed(managed);
  expect_valid_lids(managed, 0);
}

TEST(Addresses, RangesAreAlignedForEveryLmcAlsoAfterChanges) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  for (const std::uint8_t lmc : std::to_array<std::uint8_t>({0, 1, 2, 3, 4, 5, 6, 7, 0, 7, 3, 0})) {
    SCOPED_TRACE(unsigned{lmc});
    managed.options.lmc = lmc;
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
    expect_valid_lids(managed, lmc);
    const FabricState before = state_of(managed.emulated());
    managed.start();
    ASSERT_TRUE(managed.settle());
    EXPECT_THAT(changes(managed.fabric(), before, state_of(managed.emulated())), IsEmpty());
  }
}

TEST(Addresses, ReportsPortsWithoutLidWhenLidsRunOut) {
  ManagedSubnet managed(fabric_of("fattree2:k=32"));
  managed.options.lmc = 7;
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().up);
  EXPECT_EQ(managed.sm().snapshot(), nullptr);
  EXPECT_THAT(managed.report().error,
              HasSubstr(fmt::format("the fabric needs {} unicast LIDs, there are 49151",
                                    512 * 128 + managed.fabric().switch_count())));
  // The switches have LIDs below 128; 383 aligned ranges follow.
  EXPECT_THAT(managed.report().error, HasSubstr("129 ports, of which the first is"));
  EXPECT_EQ(managed.sets(AttributeId::kPortInfo), 0u);
  EXPECT_FALSE(std::filesystem::exists(managed.cache() / "guid2lid"));
}

/// Changes NodeInfo in received responses.
class NodeInfoChanger final : public SmpTransport {
 public:
  NodeInfoChanger(SmpTransport& inner, std::function<void(NodeInfo&)> change)
      : inner_(inner), change_(std::move(change)) {}
  Status send(const Smp& smp) override { return inner_.send(smp); }
  void wait_until(TimeNs deadline) override { inner_.wait_until(deadline); }
  std::optional<Smp> receive() override {
    auto smp = inner_.receive();
    if (!smp || smp->method != Method::kGetResp || smp->attribute != AttributeId::kNodeInfo)
      return smp;
    NodeInfo info = *decode_node_info(smp->data);
    change_(info);
    smp->data = encode(info);
    return smp;
  }

 private:
  SmpTransport& inner_;
  std::function<void(NodeInfo&)> change_;
};

class SharedGuids : public testing::Test {
 protected:
  SharedGuids() { managed.options.exit_on_fatal = false; }

  /// Starts a manager. `copy` changes each NodeInfo of node `b` that the manager receives; its
  /// second argument is node `a`.
  void start(NodeId a, NodeId b, const std::function<void(NodeInfo&, const Node&)>& copy) {
    managed.between = [this, a, b, copy](SmpTransport& wire) -> SmpTransport& {
      changer = std::make_unique<NodeInfoChanger>(wire, [this, a, b, copy](NodeInfo& info) {
        if (info.node_guid == managed.fabric().node(b).node_guid)
          copy(info, managed.fabric().node(a));
      });
      return *changer;
    };
    managed.start();
  }
  std::string hex(NodeId node) const {
    return fmt::format("0x{:016x}", managed.fabric().node(node).node_guid.value());
  }

  std::unique_ptr<NodeInfoChanger> changer;
  ManagedSubnet managed{fabric_of("fattree2:k=4")};
};

TEST_F(SharedGuids, OneOfTwoCasIsLeftOutWithAWarning) {
  const NodeId a(12), b(13);
  start(a, b, [](NodeInfo& info, const Node& other) { info.node_guid = other.node_guid; });
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up);
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("GUID " + hex(a) + ": ")));
  EXPECT_EQ(managed.known().ca_count(), managed.fabric().ca_count() - 1);
}

TEST_F(SharedGuids, ZeroIsAnInvalidGuid) {
  const NodeId a(12), b(13);
  for (const bool of_port : {true, false}) {
    start(a, b, [&](NodeInfo& info, const Node&) {
      (of_port ? info.port_guid : info.node_guid) = Guid(0);
    });
    ASSERT_TRUE(managed.settle());
    EXPECT_TRUE(managed.report().up);
    EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("answers with invalid NodeInfo")));
    EXPECT_EQ(managed.known().ca_count(), managed.fabric().ca_count() - 1);
    EXPECT_FALSE(managed.known().find_endport(Guid(0)));
  }
}

TEST_F(SharedGuids, StopTheManagerIfConfiguredAndConfirmedByASecondDiscovery) {
  managed.options.exit_on_fatal = true;
  const NodeId a(12), b(13);
  unsigned node_infos = 0;
  start(a, b, [&](NodeInfo& info, const Node& other) {
    if (node_infos++ == 0) info.node_guid = other.node_guid;  // as if the node had moved
  });
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.sm().fatal());
  EXPECT_TRUE(managed.report().up);
  start(a, b, [](NodeInfo& info, const Node& other) { info.node_guid = other.node_guid; });
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.sm().fatal());
  EXPECT_TRUE(managed.sm().stopped());
  EXPECT_THAT(managed.sm().fatal()->message, HasSubstr("GUID " + hex(a) + ": "));
}

TEST_F(SharedGuids, ClonedNodesAreReportedWithoutEndlessSweeps) {
  const std::pair<NodeId, NodeId> kPairs[] = {{NodeId(12), NodeId(13)}, {NodeId(4), NodeId(5)}};
  for (const auto& pair : kPairs) {
    const NodeId a = pair.first, b = pair.second;
    const Guid port_guid = managed.fabric().port(managed.fabric().port_id(a, PortNum(1))).guid;
    start(a, b, [port_guid, a](NodeInfo& info, const Node& other) {
      info.node_guid = other.node_guid;
      info.system_guid = other.system_guid;
      info.port_guid = a == NodeId(4) ? other.node_guid : port_guid;
    });
    ASSERT_TRUE(managed.settle());
    EXPECT_THAT(managed.report().warnings, Contains(HasSubstr(hex(a)))) << hex(a);
    const auto sweeps = managed.sm().heavy_sweeps();
    managed.run_for(60 * kSecond);
    EXPECT_LE(managed.sm().heavy_sweeps(), sweeps + 6);
  }
}

TEST_F(SharedGuids, TwoPortsWithOneGuidAreReportedAndKeepLids) {
  const NodeId a(12), b(13);
  const Guid guid = managed.fabric().port(managed.fabric().port_id(a, PortNum(1))).guid;
  start(a, b, [guid](NodeInfo& info, const Node&) { info.port_guid = guid; });
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up);
  EXPECT_THAT(managed.report().warnings,
              Contains(HasSubstr(fmt::format("port GUID 0x{:016x}: found at", guid.value()))));
  expect_valid_lids(managed, 0);
  const auto lids = managed.emulated().lids();
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.emulated().lids(), lids);
}

TEST(Addresses, LeavesOutASwitchWithoutAnswersAndNodesBehindTheSwitch) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.emulated().set_filter([](const Smp&, NodeId from, NodeId) {
    return from == NodeId(3) ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up) << managed.report().error;
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("does not answer: left out")));
  EXPECT_EQ(managed.known().switch_count(), managed.fabric().switch_count() - 1);
  EXPECT_EQ(managed.known().ca_count(), managed.fabric().ca_count() - 2);
}

TEST(Addresses, ManagerPortWithoutCableIsAnError) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  const PortId own_endport = managed.fabric().port_id(managed.manager_node(), PortNum(1));
  managed.emulated().cut_cable(own_endport);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().up);
  EXPECT_THAT(managed.report().error, HasSubstr("port 1, has no reachable peer: it is down"));
  EXPECT_EQ(managed.sm().snapshot(), nullptr);
  managed.run_for(30 * kSecond);
  EXPECT_GE(managed.sm().heavy_sweeps(), 3u) << "the manager sweeps again";
  managed.emulated().restore_cable(own_endport);
  managed.run_for(15 * kSecond);
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
}

TEST(Addresses, ManagerPortWithoutAnswersIsAnError) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.emulated().switch_off_node(managed.manager_node());
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().up);
  EXPECT_THAT(managed.report().error, HasSubstr("the port of the manager does not answer"));
  managed.emulated().switch_on_node(managed.manager_node());
  managed.run_for(30 * kSecond);
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
}

}  // namespace
}  // namespace weft
