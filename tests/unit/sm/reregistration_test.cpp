// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ClientReregister is set whenever registrations may be lost: by a new master, and after the port
// was absent in a sweep.
#include "sm/programming/reregistration.h"

#include <gtest/gtest.h>

#include <map>

#include "support/managed_subnet.h"

namespace weft {
namespace {

using std::chrono::seconds;

//  H0 H1 - S0 - S1 - H2 H3, with the manager on H0
class Reregistration : public testing::Test {
 protected:
  Reregistration() : managed(Tiny(2).link(0, 1).hosts(0, 2).hosts(1, 2).build()) {}

  PortId host(unsigned i) const {
    return managed.fabric().endport(EndportId(managed.fabric().switch_count() + i)).port;
  }
  PortId cable() const { return managed.cable_between(SwitchId(0), SwitchId(1)); }
  /// Number of Sets of ClientReregister by host.
  std::vector<unsigned> reregistrations_by_host() const {
    std::vector<unsigned> times;
    for (unsigned i = 0; i < 4; ++i)
      times.push_back(const_cast<ManagedSubnet&>(managed).emulated().reregistrations(host(i)));
    return times;
  }
  void cut() {
    managed.emulated().cut_cable(cable());
    managed.run_for(seconds(2));
    ASSERT_TRUE(managed.settle());
    ASSERT_EQ(managed.known().ca_count(), 2u);
  }
  void restore() {
    managed.emulated().restore_cable(cable());
    managed.run_for(seconds(2));
    ASSERT_TRUE(managed.settle());
    ASSERT_EQ(managed.known().ca_count(), 4u);
  }
  static bool requests_reregistration(const Smp& smp) {
    return smp.method == Method::kSet && smp.attribute == AttributeId::kPortInfo &&
           decode_port_info(smp.data)->client_reregister;
  }

  ManagedSubnet managed;
};

using Times = std::vector<unsigned>;

TEST_F(Reregistration, IsSentToHostsBehindAReturnedCable) {
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(reregistrations_by_host(), (Times{1, 1, 1, 1}));
  cut();
  EXPECT_EQ(managed.emulated().port_info(host(2)).state, PortState::kActive)
      << "the port of the host must stay ACTIVE, so that the host detects no event";
  restore();
  expect_managed(managed);
  EXPECT_EQ(reregistrations_by_host(), (Times{1, 1, 2, 2}));

  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  managed.sm().set_multicast_groups({});  // causes a sweep without discovery
  managed.run_for(seconds(5));
  EXPECT_EQ(managed.sets(AttributeId::kPortInfo), 0u);
  EXPECT_EQ(reregistrations_by_host(), (Times{1, 1, 2, 2}));
}

TEST_F(Reregistration, IsSentToAHostThatDidNotAnswerInOneSweep) {
  managed.start();
  ASSERT_TRUE(managed.settle());
  const NodeId silent = managed.fabric().port(host(3)).node;
  managed.emulated().set_filter([&](const Smp&, NodeId from, NodeId) {
    return from == silent ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  ASSERT_EQ(managed.known().ca_count(), 3u);
  managed.emulated().set_filter({});
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(reregistrations_by_host(), (Times{1, 1, 1, 2}));
}

/// ClientReregister is sent when packets of the host can reach the manager.
TEST_F(Reregistration, IsSentOverALinkInUseAfterTheTables) {
  managed.start();
  ASSERT_TRUE(managed.settle());
  cut();
  unsigned requests_to_host = 0;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    if (requests_reregistration(smp) && smp.hop_pointer > 2 &&
        to == managed.fabric().port(host(2)).node) {
      ++requests_to_host;
      EXPECT_TRUE(managed.emulated().carries_data(cable()));
    }
    return EmulatedFabric::Delivery::kPass;
  });
  restore();
  EXPECT_EQ(requests_to_host, 1u);
}

TEST_F(Reregistration, StaysDueUntilASetIsAnswered) {
  const NodeId unresponsive = managed.fabric().port(host(2)).node;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    return to == unresponsive && requests_reregistration(smp) ? EmulatedFabric::Delivery::kLose
                                                              : EmulatedFabric::Delivery::kPass;
  });
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().up);
  EXPECT_EQ(reregistrations_by_host(), (Times{1, 1, 0, 1}));
  managed.emulated().set_filter({});
  managed.run_for(seconds(15));
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(reregistrations_by_host(), (Times{1, 1, 1, 1}));
}

TEST_F(Reregistration, StaysDueIfTheAnswerIsLost) {
  managed.start();
  ASSERT_TRUE(managed.settle());
  cut();
  const NodeId without_answers = managed.fabric().port(host(2)).node;
  managed.emulated().set_filter([&](const Smp& smp, NodeId from, NodeId) {
    return from == without_answers && smp.method == Method::kGetResp &&
                   smp.attribute == AttributeId::kPortInfo &&
                   decode_port_info(smp.data)->client_reregister
               ? EmulatedFabric::Delivery::kLose
               : EmulatedFabric::Delivery::kPass;
  });
  restore();
  EXPECT_FALSE(managed.report().up);
  const unsigned before = reregistrations_by_host()[2];
  managed.emulated().set_filter({});
  managed.run_for(seconds(15));
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().up) << managed.report().error;
  EXPECT_EQ(reregistrations_by_host()[2], before + 1);
  EXPECT_EQ(reregistrations_by_host()[3], 2u);
}

TEST_F(Reregistration, IsNotSentIfDisabled) {
  managed.options.client_rereg = false;
  managed.start();
  ASSERT_TRUE(managed.settle());
  cut();
  restore();
  EXPECT_EQ(reregistrations_by_host(), (Times{0, 0, 0, 0}));
  managed.options.client_rereg = true;
  managed.sm().set_options(managed.options);
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(reregistrations_by_host(), (Times{0, 0, 0, 0}))
      << "no host may get ClientReregister without a change";
}

TEST_F(Reregistration, IsSentWhenMasterSmLidChanges) {
  managed.start();
  ASSERT_TRUE(managed.settle());
  const Lid before = managed.sm().snapshot()->sm_lid();
  managed.end_manager();
  managed.options.cache_dir = managed.cache() / "another";
  managed.attach_at(EndportId(managed.fabric().endport_count() - 1));
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_NE(managed.sm().snapshot()->sm_lid(), before);
  EXPECT_EQ(reregistrations_by_host(), (Times{2, 2, 2, 2}));
}

TEST(Reregistrations, AreDueForNewPortsAndPortsWithAnotherMaster) {
  const Lid own(1), other(2);
  Observed observed;
  observed.fabric = Tiny(1).hosts(0, 2).build();
  for (std::uint32_t n = 0; n < observed.fabric.node_count(); ++n) {
    ObservedNode& node = observed.nodes.emplace_back();
    node.ports.resize(observed.fabric.node(NodeId(n)).port_count + std::size_t{1});
    for (PortInfo& info : node.ports) {
      info.master_sm_lid = own;
      if (n > 0) info.capability_mask = cap_mask::kClientReregistration;
    }
  }
  const PortId sw = observed.fabric.endport(EndportId(0)).port;
  const PortId first = observed.fabric.endport(EndportId(1)).port;
  const PortId second = observed.fabric.endport(EndportId(2)).port;
  Desired desired;
  desired.sm_lid = own;
  Reregistrations reregistrations;
  reregistrations.follow(observed, desired);
  EXPECT_FALSE(reregistrations.is_due(observed, sw))
      << "the switch does not support ClientReregister";
  EXPECT_TRUE(reregistrations.is_due(observed, first));
  reregistrations.settle(observed.fabric, first);
  reregistrations.follow(observed, desired);
  EXPECT_FALSE(reregistrations.is_due(observed, first));
  EXPECT_TRUE(reregistrations.is_due(observed, second))
      << "ClientReregister must stay due until the port has answered";
  reregistrations.settle(observed.fabric, second);
  observed.nodes[2].ports[1].master_sm_lid = other;
  reregistrations.follow(observed, desired);
  EXPECT_FALSE(reregistrations.is_due(observed, first));
  EXPECT_TRUE(reregistrations.is_due(observed, second));
  reregistrations.require_all();
  EXPECT_TRUE(reregistrations.is_due(observed, first));
}

}  // namespace
}  // namespace weft
