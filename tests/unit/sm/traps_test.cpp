// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traps that cause no heavy sweep: changed node descriptions and capabilities, and error counters.
// Also the texts of traps.

#include <gtest/gtest.h>

#include "ib/notice.h"
#include "ib/vendor/vports.h"
#include "sm/traps/responder.h"
#include "support/managed_subnet.h"
#include "support/tiny.h"

namespace weft {
namespace {

/// A trap from the LID of the notice's issuer to the manager.
Smp trap_of(ManagedSubnet& managed, const Notice& notice) {
  Smp trap;
  trap.mgmt_class = MgmtClass::kSmpLidRouted;
  trap.method = Method::kTrap;
  trap.attribute = AttributeId::kNotice;
  trap.slid = notice.issuer_lid;
  trap.dlid = managed.sm().snapshot()->sm_lid();
  trap.data = encode(notice);
  return trap;
}

TEST(Traps, ReadsANewNameWithoutASweep) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  const NodeId named(managed.fabric().node_count() - 2);
  const Guid named_guid = managed.fabric().node(named).node_guid;
  managed.options.node_names = {{named_guid, "by the administrator"}};
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto sweeps = managed.sm().heavy_sweeps();
  const NodeId host(managed.fabric().node_count() - 1);
  managed.emulated().reset_counters();
  managed.emulated().set_description(host, "a new name");  // trap 144
  managed.emulated().set_description(NodeId(0), "a new switch");
  managed.emulated().set_description(named, "beside the other");
  managed.run_for(kSecond);
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps) << "the trap must cause no heavy sweep";
  const auto& counters = managed.emulated().counters();
  EXPECT_EQ(counters.requests(Method::kGet, AttributeId::kNodeDescription), 3u);
  EXPECT_EQ(counters.requests(Method::kGet, AttributeId::kNodeInfo), 0u);
  EXPECT_EQ(counters.requests(Method::kGet, AttributeId::kPortInfo), 0u);
  EXPECT_EQ(counters.requests(Method::kSet, AttributeId::kPortInfo), 0u);
  EXPECT_EQ(counters.lft_blocks_written(), 0u);
  const auto name_of = [&](NodeId node) {
    const Fabric& known = managed.known();
    return known.node(*known.find_node(managed.fabric().node(node).node_guid)).description;
  };
  EXPECT_EQ(name_of(host), "a new name");
  EXPECT_EQ(name_of(NodeId(0)), "a new switch");
  EXPECT_EQ(name_of(named), "by the administrator");
  const NodeId known = *managed.known().find_node(named_guid);
  EXPECT_EQ(managed.sm().snapshot()->nodes[known.value()].own_description, "beside the other");
  EXPECT_EQ(managed.report().changes.size(), 2u);
}

//  S0 - H0 H1, with the manager on S0
TEST(Traps, ReadsTheNewNameOfANeighbor) {
  ManagedSubnet managed(Tiny(1).hosts(0, 2).build());
  managed.attach_at(EndportId(0));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const NodeId host(managed.fabric().node_count() - 1);
  managed.emulated().set_description(host, "a new name");
  managed.run_for(kSecond);
  ASSERT_TRUE(managed.settle());
  const NodeId known = *managed.known().find_node(managed.fabric().node(host).node_guid);
  EXPECT_EQ(managed.known().node(known).description, "a new name");
}

TEST(Traps, KeepsTheOldNameIfTheNewNameIsUnreadable) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const NodeId host(managed.fabric().node_count() - 1);
  managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId) {
    return smp.attribute == AttributeId::kNodeDescription ? EmulatedFabric::Delivery::kLose
                                                          : EmulatedFabric::Delivery::kPass;
  });
  managed.emulated().set_description(host, "a new name");
  managed.run_for(5 * kSecond);
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.known().node(host).description, managed.fabric().node(host).description);
}

TEST(Traps, ReadsAChangedCapabilityMaskWithoutASweep) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto sweeps = managed.sm().heavy_sweeps();
  const EndportId endport(managed.fabric().endport_count() - 1);
  const PortId host = managed.fabric().endport(endport).port;
  const PortId sw = managed.fabric().endport(EndportId(1)).port;
  const auto known = [&](PortId port) {
    const Node& node = managed.fabric().node(managed.fabric().port(port).node);
    return managed.sm()
        .snapshot()
        ->nodes[managed.known().find_node(node.node_guid)->value()]
        .ports[managed.fabric().port(port).num.value()]
        .capability_mask;
  };
  const std::uint32_t before = known(host), of_switch = known(sw);
  ASSERT_EQ(before & cap_mask::kDeviceManagement, 0u);
  managed.emulated().reset_counters();
  // ib_srpt sets this bit when it is loaded.
  managed.emulated().set_capability_mask(host, before | cap_mask::kDeviceManagement);
  managed.emulated().set_capability_mask(sw, of_switch | cap_mask::kDeviceManagement);
  managed.run_for(kSecond);
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(known(host), before | cap_mask::kDeviceManagement);
  EXPECT_EQ(known(sw), of_switch | cap_mask::kDeviceManagement);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps) << "the trap must cause no heavy sweep";
  const auto& counters = managed.emulated().counters();
  EXPECT_EQ(counters.requests(Method::kGet, AttributeId::kPortInfo), 2u);
  EXPECT_EQ(counters.requests(Method::kGet, AttributeId::kNodeInfo), 0u);
  EXPECT_EQ(counters.requests(Method::kSet, AttributeId::kPortInfo), 0u);

  // A node that does not answer is read in the next heavy sweep.
  managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId) {
    return smp.attribute == AttributeId::kPortInfo ? EmulatedFabric::Delivery::kLose
                                                   : EmulatedFabric::Delivery::kPass;
  });
  managed.emulated().set_capability_mask(host, before);
  managed.run_for(2 * kSecond);
  EXPECT_EQ(known(host), before | cap_mask::kDeviceManagement);
  managed.emulated().set_filter({});
  managed.run_for(2 * managed.options.sweep_interval);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(known(host), before);
}

TEST(Traps, KeepsIsSmOnTheOwnPort) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const PortId own = managed.fabric().endport(managed.manager_endport()).port;
  const auto known = [&] {
    const Fabric& fabric = managed.known();
    const Port& port = fabric.port(fabric.endport(managed.sm().snapshot()->sm).port);
    return managed.sm()
        .snapshot()
        ->nodes[port.node.value()]
        .ports[port.num.value()]
        .capability_mask;
  };
  const std::uint32_t before = known();
  ASSERT_NE(before & cap_mask::kIsSm, 0u);
  // IsSM is cleared when another manager on the port ends.
  managed.emulated().set_capability_mask(own,
                                         (before & ~cap_mask::kIsSm) | cap_mask::kSnmpTunneling);
  managed.run_for(kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(known(), before | cap_mask::kSnmpTunneling);
}

TEST(Traps, TrapsBeforeARepeatedDiscoveryNeedNoFurtherSweep) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const EndportId other(managed.fabric().switch_count() + 1);
  SmpTransport& wire = managed.emulated().attach(other, false);
  const Lid from = managed.known().endport(other).lid;
  Notice notice;
  notice.type = NoticeType::kInformational;
  notice.producer = static_cast<std::uint32_t>(Producer::kCa);
  notice.trap = static_cast<std::uint16_t>(TrapNumber::kCapabilityChange);
  notice.issuer_lid = from;
  notice.details = encode(TrapCapability{from, false, cap_mask::kIsSm, 0});
  const Smp trap = trap_of(managed, notice);

  bool begun = false;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId) {
    if (!begun && smp.attribute == AttributeId::kNodeInfo) {
      begun = true;
      managed.emulated().schedule(managed.emulated().clock().now(), [&](EmulatedFabric& fabric) {
        EXPECT_TRUE(wire.send(trap));
        const Channel& cable = managed.fabric().channels_from(SwitchId(0)).front();
        fabric.cut_cable(managed.cable_between(cable.from, cable.to));
      });
    }
    return EmulatedFabric::Delivery::kPass;
  });
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.report().restarts, 1u);
  EXPECT_FALSE(managed.sm().heavy_sweep_due());
}

TEST(Traps, ErrorTrapsCauseALightSweep) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.sweep_interval = std::chrono::minutes(10);
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.end_manager();
  const EndportId sender(managed.fabric().switch_count() + 1);
  SmpTransport& wire = managed.emulated().attach(sender, false);
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto sweeps = managed.sm().heavy_sweeps();
  const auto light_sweeps = [&] {
    return managed.emulated().counters().requests(Method::kGet, AttributeId::kSwitchInfo) /
           managed.fabric().switch_count();
  };
  const auto before = light_sweeps();
  const auto send_trap = [&](TrapNumber number) {
    Notice notice;
    notice.type = NoticeType::kUrgent;
    notice.producer = static_cast<std::uint32_t>(Producer::kCa);
    notice.trap = static_cast<std::uint16_t>(number);
    const Lid from = managed.known().endport(sender).lid;
    notice.issuer_lid = from;
    notice.details = encode(TrapPortError{from, PortNum(1)});
    const Smp trap = trap_of(managed, notice);
    ASSERT_TRUE(wire.send(trap));
    managed.run_for(kSecond / 5);
  };
  for (const auto number :
       {TrapNumber::kLinkIntegrity, TrapNumber::kBufferOverrun, TrapNumber::kFlowControlWatchdog})
    send_trap(number);
  EXPECT_EQ(light_sweeps(), before + 3);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  for (unsigned i = 0; i < 40; ++i) send_trap(TrapNumber::kLinkIntegrity);
  EXPECT_LE(light_sweeps(), before + 3 + 10)
      << "at most ten of the repeated traps may cause requests";
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
}

TEST(TrapTexts, DescribeTheDetailsOfKeyViolations) {
  Notice notice;
  const auto text = [&](TrapNumber number, const NoticeDetails& details) {
    notice.trap = static_cast<std::uint16_t>(number);
    notice.details = details;
    return describe(notice, Lid(7));
  };
  TrapBadMkey mkey;
  mkey.method = Method::kSet;
  mkey.attribute = AttributeId::kPortInfo;
  mkey.modifier = 3;
  mkey.mkey = Mkey(0x5EC7E7);
  EXPECT_EQ(text(TrapNumber::kBadMkey, encode(mkey)),
            "trap 256 (bad M_Key) from LID 7: method 0x02 of attribute 0x0015, modifier 0x3");
  mkey.directed = mkey.path_truncated = true;
  mkey.hop_count = 40;
  EXPECT_EQ(text(TrapNumber::kBadMkey, encode(mkey)),
            "trap 256 (bad M_Key) from LID 7: method 0x02 of attribute 0x0015, modifier 0x3, "
            "directed, 40 hops, return path truncated");

  TrapBadPkeySwitchPort port;
  port.data_valid = 4 + 8 + 16 + 32;
  port.pkey = Pkey(0x8001);
  port.sl = Sl(5);
  port.qp1 = 0x123456;
  port.qp2 = 0xABCDEF;
  port.lid1 = Lid(1);
  port.switch_lid = Lid(9);
  port.port = PortNum(12);
  EXPECT_EQ(text(TrapNumber::kBadPkeySwitchPort, encode(port)),
            "trap 259 (bad P_Key at a switch port) from LID 7: port 12 of LID 9, P_Key 0x8001, "
            "from QP 0x123456, to QP 0xabcdef, SL 5")
      << "LID 1 must be omitted, because its valid bit is 0";

  TrapBadKey key;
  key.lid1 = Lid(3);
  key.lid2 = Lid(4);
  key.key = 0x8001;
  notice.generic = false;
  notice.details = encode(TrapVportBadKey{key, 0x0102}, VportTrap::kBadPkey);
  EXPECT_EQ(describe(notice, Lid(7)),
            "trap 1257 (bad P_Key at a vport) from LID 7: key 0x8001, LIDs 3 and 4, QPs 0x0 and "
            "0x0, SL 0, vport 258");
  notice.details = encode(TrapVportBadKey{key, 3}, VportTrap::kBadQkey);
  EXPECT_TRUE(describe(notice, Lid(7)).ends_with("SL 0, vport 3")) << describe(notice, Lid(7));
}

}  // namespace
}  // namespace weft
