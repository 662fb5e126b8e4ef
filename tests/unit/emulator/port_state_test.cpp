// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The state machine of ports, and the fields that a Set of PortInfo may change.
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

class PortStates : public ::testing::Test {
 protected:
  PortInfo at(SwitchId sw, unsigned num) const { return emulated.port_info(port(sw, num)); }
  PortId port(SwitchId sw, unsigned num) const {
    return fabric.port_id(Fabric::node_of(sw), PortNum(static_cast<std::uint8_t>(num)));
  }
  void retrain() { emulated.run_for(std::chrono::milliseconds(50)); }

  const Fabric fabric = two_switches();
  EmulatedFabric emulated{fabric};
  Client sm{emulated, kH0};
};

TEST_F(PortStates, CabledPortsAreInInitAfterPowerUp) {
  EXPECT_EQ(at(kS0, 2).state, PortState::kInit);
  EXPECT_EQ(at(kS0, 2).phys_state, PhysState::kLinkUp);
  EXPECT_EQ(at(kS0, 4).state, PortState::kDown);  // port 4 has no cable
  EXPECT_EQ(at(kS0, 4).phys_state, PhysState::kPolling);
  EXPECT_EQ(at(kS0, 0).state, PortState::kActive);
  EXPECT_EQ(at(kS0, 0).lid, kLidNone);
  EXPECT_FALSE(emulated.switch_info(kS0).port_state_change);
}

TEST_F(PortStates, PortsBecomeActiveOnlyThroughArmed) {
  EXPECT_EQ(sm.set_state({1}, 2, PortState::kActive), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_state({1}, 2, PortState::kInit), 0) << "the port is in INIT already";
  EXPECT_EQ(sm.set_state({1}, 2, PortState::kArmed), 0);
  EXPECT_EQ(at(kS0, 2).state, PortState::kArmed);
  EXPECT_EQ(sm.set_state({1}, 2, PortState::kInit), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_state({1}, 2, PortState::kActive), 0);
  EXPECT_EQ(sm.set_state({1}, 2, PortState::kActive), 0);
  EXPECT_EQ(sm.set_state({1}, 2, PortState::kArmed), mad_status::kInvalidField);
  EXPECT_EQ(at(kS0, 2).state, PortState::kActive);
  EXPECT_FALSE(emulated.switch_info(kS0).port_state_change) << "commanded changes are not reported";
}

TEST_F(PortStates, DataRequiresBothEndsActive) {
  for (const auto state : {PortState::kArmed, PortState::kActive})
    EXPECT_EQ(sm.set_state({1}, 2, state), 0);
  EXPECT_FALSE(emulated.carries_data(port(kS0, 2)));
  for (const auto state : {PortState::kArmed, PortState::kActive})
    EXPECT_EQ(sm.set_state({1, 2}, 1, state), 0);
  EXPECT_TRUE(emulated.carries_data(port(kS0, 2)));
  EXPECT_TRUE(emulated.carries_data(port(kS1, 1)));
}

TEST_F(PortStates, SetDoesNotChangeAPortThatIsDown) {
  EXPECT_EQ(sm.set_state({1}, 4, PortState::kArmed), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_state({1}, 4, PortState::kActive), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_state({1}, 4, PortState::kDown), 0);
  EXPECT_EQ(at(kS0, 4).state, PortState::kDown);
}

TEST_F(PortStates, SetToDownRetrainsBothEndsToInit) {
  for (const auto state : {PortState::kArmed, PortState::kActive})
    EXPECT_EQ(sm.set_state({1}, 3, state), 0);
  EXPECT_EQ(sm.set_state({1}, 3, PortState::kDown), 0);
  EXPECT_EQ(at(kS0, 3).state, PortState::kDown);
  EXPECT_EQ(at(kS0, 3).phys_state, PhysState::kPolling);
  EXPECT_EQ(at(kS1, 3).state, PortState::kDown);
  EXPECT_FALSE(emulated.switch_info(kS0).port_state_change)
      << "PortStateChange is not set at the switch that received the Set";
  EXPECT_TRUE(emulated.switch_info(kS1).port_state_change)
      << "PortStateChange is set at the other switch";
  retrain();
  EXPECT_EQ(at(kS0, 3).state, PortState::kInit);
  EXPECT_EQ(at(kS1, 3).state, PortState::kInit);
  EXPECT_EQ(at(kS0, 3).phys_state, PhysState::kLinkUp);
  EXPECT_TRUE(emulated.switch_info(kS0).port_state_change);
}

TEST_F(PortStates, DisabledPortStaysDownUntilPollingIsSet) {
  EXPECT_EQ(sm.change_port({1}, 3, [](PortInfo& i) { i.phys_state = PhysState::kDisabled; }), 0);
  retrain();
  EXPECT_EQ(at(kS0, 3).state, PortState::kDown);
  EXPECT_EQ(at(kS0, 3).phys_state, PhysState::kDisabled);
  EXPECT_EQ(at(kS1, 3).phys_state, PhysState::kPolling);
  EXPECT_EQ(sm.set_state({1}, 3, PortState::kDown), 0);  // has no effect while disabled
  retrain();
  EXPECT_EQ(at(kS0, 3).phys_state, PhysState::kDisabled);
  EXPECT_EQ(sm.change_port({1}, 3, [](PortInfo& i) { i.phys_state = PhysState::kPolling; }), 0);
  retrain();
  EXPECT_EQ(at(kS0, 3).state, PortState::kInit);
  EXPECT_EQ(at(kS1, 3).state, PortState::kInit);
}

TEST_F(PortStates, LinkDownDefaultStateMayBeSleep) {
  EXPECT_EQ(sm.change_port({1}, 3, [](PortInfo& i) { i.link_down_default = PhysState::kSleep; }),
            0);
  EXPECT_EQ(sm.set_state({1}, 3, PortState::kDown), 0);
  retrain();
  EXPECT_EQ(at(kS0, 3).phys_state, PhysState::kSleep);
  EXPECT_EQ(at(kS1, 3).state, PortState::kDown);
}

TEST_F(PortStates, InternalPhysicalStatesCannotBeSet) {
  for (const auto phys :
       {PhysState::kTraining, PhysState::kLinkUp, PhysState::kRecovery, PhysState::kPhyTest})
    EXPECT_EQ(sm.change_port({1}, 3, [&](PortInfo& i) { i.phys_state = phys; }),
              mad_status::kInvalidField);
}

TEST_F(PortStates, PortZeroIsAlwaysActive) {
  EXPECT_EQ(sm.set_state({1}, 0, PortState::kActive), 0);
  EXPECT_EQ(sm.set_state({1}, 0, PortState::kDown), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_state({1}, 0, PortState::kArmed), mad_status::kInvalidField);
  EXPECT_EQ(at(kS0, 0).state, PortState::kActive);
}

TEST_F(PortStates, WidthAndSpeedAreNegotiatedFromTheEnabledValues) {
  EXPECT_EQ(at(kS0, 3).link_width_active, 2);  // width 4x
  EXPECT_EQ(sm.change_port({1}, 3, [](PortInfo& i) { i.link_width_enabled = 1; }), 0);
  EXPECT_EQ(at(kS0, 3).link_width_active, 2)
      << "the active width changes only when the link retrains";
  EXPECT_EQ(sm.set_state({1}, 3, PortState::kDown), 0);
  retrain();
  EXPECT_EQ(at(kS0, 3).link_width_active, 1);
  EXPECT_EQ(at(kS1, 3).link_width_active, 1);
  EXPECT_EQ(sm.change_port({1}, 3, [](PortInfo& i) { i.link_width_enabled = 255; }), 0);
  EXPECT_EQ(at(kS0, 3).link_width_enabled, at(kS0, 3).link_width_supported);
  EXPECT_EQ(sm.change_port({1}, 3, [](PortInfo& i) { i.link_width_enabled = 8; }),
            mad_status::kInvalidField);
  EXPECT_EQ(sm.change_port({1}, 3, [](PortInfo& i) { i.link_speed_enabled = 2; }),
            mad_status::kInvalidField);
  EXPECT_EQ(sm.change_port({1}, 3, [](PortInfo& i) { i.link_speed_enabled = 15; }), 0);
}

TEST_F(PortStates, SetWithAFieldOutOfRangeChangesNoField) {
  const PortInfo before = at(kS0, 2);
  const auto refuses = [&](auto change) {
    EXPECT_EQ(sm.change_port({1}, 2,
                             [&](PortInfo& info) {
                               info.hoq_life = 7;
                               change(info);
                             }),
              mad_status::kInvalidField);
    EXPECT_EQ(at(kS0, 2), before);
  };
  refuses([](PortInfo& i) { i.neighbor_mtu = 5; });  // the port's MTUCap is 2048
  refuses([](PortInfo& i) { i.operational_vls = 5; });
  refuses([](PortInfo& i) { i.link_speed_ext_enabled = 1; });
  EXPECT_EQ(sm.change_port({1}, 2, [](PortInfo& i) { i.hoq_life = 7; }), 0);
  EXPECT_EQ(at(kS0, 2).hoq_life, 7);
}

TEST_F(PortStates, LidsMustBeUnicastAndAligned) {
  EXPECT_EQ(sm.set_lid({}, 1, 0xC000), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_lid({}, 1, 5, 0xFFFF), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_lid({}, 1, 6, 0, 2), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_lid({}, 1, 8, 0, 2), 0);
  EXPECT_EQ(sm.set_lid({1}, 0, 4, 0, 1), mad_status::kInvalidField) << "a base port 0 has one LID";
  EXPECT_EQ(sm.set_lid({1}, 0, 4), 0);
}

TEST_F(PortStates, SetDoesNotChangeReadOnlyFields) {
  const PortInfo before = at(kS0, 2);
  EXPECT_EQ(sm.change_port({1}, 2,
                           [](PortInfo& info) {
                             info.capability_mask = 0xFFFFFFFF;
                             info.vl_cap = 1;
                             info.mtu_cap = 1;
                             info.link_width_supported = 0;
                             info.link_width_active = 8;
                             info.link_speed_active = 1;
                             info.lid = Lid(77);  // external ports have no LID
                             info.mkey = Mkey(1);
                             info.guid_cap = 9;
                             info.response_time_value = 1;
                             info.pkey_violations = 9;
                           }),
            0);
  EXPECT_EQ(at(kS0, 2), before);
}

TEST_F(PortStates, TheModifierMustNameAPort) {
  EXPECT_EQ(sm.get(AttributeId::kPortInfo, 9, {1})->status, mad_status::kInvalidField);
  EXPECT_EQ(sm.get(AttributeId::kPortInfo, 0x100, {1})->status, mad_status::kInvalidField);
  EXPECT_EQ(sm.get(AttributeId::kPortInfo, 2, {})->status, mad_status::kInvalidField);
  EXPECT_EQ(sm.get(AttributeId::kPortInfo, modifier::port_info(PortNum(8), true), {1})->status, 0);
  EXPECT_EQ(sm.port_info({}, 0), sm.port_info({}, 1))
      << "port number 0 is the CA port that received the request";
}

TEST_F(PortStates, ClientReregisterIsCountedAndNotStored) {
  const PortId h0 = fabric.endport(kH0).port;
  EXPECT_EQ(sm.change_port({}, 1, [](PortInfo& i) { i.client_reregister = true; }), 0);
  EXPECT_EQ(emulated.reregistrations(h0), 1u);
  EXPECT_FALSE(sm.port_info({}, 1).client_reregister);
}

TEST_F(PortStates, ChangesOfALinkInUseAreCountedAndMayCauseRetraining) {
  const auto fewer_vls = [](PortInfo& i) { i.operational_vls = 1; };
  EXPECT_EQ(sm.change_port({1}, 2, [](PortInfo& i) { i.operational_vls = 2; }), 0);
  EXPECT_EQ(emulated.counters().live_link_changes, 0u) << "a link in INIT carries no data";
  for (const auto state : {PortState::kArmed, PortState::kActive})
    EXPECT_EQ(sm.set_state({1}, 2, state), 0);
  EXPECT_EQ(sm.change_port({1}, 2, fewer_vls), 0);
  EXPECT_EQ(emulated.counters().live_link_changes, 1u);
  EXPECT_EQ(sm.change_port({1}, 2, fewer_vls), 0);
  EXPECT_EQ(sm.change_port({1}, 2, [](PortInfo& i) { i.neighbor_mtu = 2; }), 0);
  EXPECT_EQ(emulated.counters().live_link_changes, 2u);
  EXPECT_EQ(at(kS0, 2).state, PortState::kActive);

  DeviceBehavior quirks;
  quirks.retrains_on_vl_change = true;
  emulated.set_behavior(Fabric::node_of(kS0), quirks);
  EXPECT_EQ(sm.change_port({1}, 2, [](PortInfo& i) { i.neighbor_mtu = 3; }), 0);
  EXPECT_EQ(at(kS0, 2).state, PortState::kActive);
  EXPECT_EQ(sm.change_port({1}, 2, [](PortInfo& i) { i.operational_vls = 2; }), 0);
  EXPECT_EQ(at(kS0, 2).state, PortState::kDown);
  EXPECT_TRUE(emulated.switch_info(kS0).port_state_change);
  retrain();
  EXPECT_EQ(at(kS0, 2).state, PortState::kInit);
}

// The CA has two ports: port 1 is cabled to S0, port 2 to S1.
TEST(PortStatesOfAMultiPortCa, SetChangesOnlyTheReceivingPort) {
  Tiny tiny(2);
  tiny.link(0, 1);
  Node ca;
  ca.node_guid = Guid(0x9000);
  ca.port_count = 2;
  const auto handle = tiny.builder().add_node(ca);
  ASSERT_TRUE(tiny.builder().connect(handle, PortNum(1), 0, PortNum(5)));
  ASSERT_TRUE(tiny.builder().connect(handle, PortNum(2), 1, PortNum(5)));
  const Fabric fabric = tiny.build();
  EmulatedFabric emulated(fabric);
  Client sm(emulated, EndportId(2));
  EXPECT_EQ(sm.port_info({}, 2).state, PortState::kInit);
  EXPECT_EQ(sm.set_lid({}, 2, 5), mad_status::kInvalidField);
  EXPECT_EQ(sm.set_lid({1, 1, 5}, 2, 5), 0);
  EXPECT_EQ(emulated.port_info(fabric.endport(EndportId(3)).port).lid, Lid(5));
}

TEST(PortStatesOfAnEnhancedPortZero, SetMayAssignSeveralLids) {
  Tiny tiny(1);
  tiny.hosts(0);
  tiny.builder().node(0).enhanced_port0 = true;
  const Fabric fabric = tiny.build();
  EmulatedFabric emulated(fabric);
  Client sm(emulated, EndportId(1));
  EXPECT_TRUE(sm.switch_info({1}).enhanced_port0);
  EXPECT_EQ(sm.set_lid({1}, 0, 4, 0, 2), 0);
  EXPECT_EQ(emulated.lids()[0], (LidRange{Lid(4), 2}));
}

}  // namespace
}  // namespace weft
