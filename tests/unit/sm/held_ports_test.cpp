// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Devices that do not store values of PortInfo: a value is set once. It is set again after a link
// was down, after a full discovery or a reset, if another value is desired, or if the device
// returns yet another value.
#include "sm/programming/held_ports.h"

#include <gtest/gtest.h>

#include "support/managed_subnet.h"

namespace weft {
namespace {

constexpr Guid kNode{0x100};
constexpr PortNum kPort{3};

PortInfo port_with(std::uint8_t hoq_life, std::uint8_t overrun_errors) {
  PortInfo info;
  info.state = PortState::kActive;
  info.lid = Lid(7);
  info.hoq_life = hoq_life;
  info.overrun_errors = overrun_errors;
  return info;
}

class KnownPort : public testing::Test {
 protected:
  /// The device does not store HOQLife, but stores OverrunErrors.
  KnownPort() { held.ports().remember(kNode, kPort, port_with(18, 8), port_with(0, 8)); }
  PortInfo wanted_of(const PortInfo& is, const PortInfo& wanted) const {
    return held.ports().without_unstored(kNode, kPort, is, wanted);
  }
  HeldTables held;
};

TEST_F(KnownPort, IsNotSetToTheSameValueAgain) {
  EXPECT_EQ(wanted_of(port_with(0, 8), port_with(18, 8)), port_with(0, 8));
  EXPECT_EQ(held.ports().count(), 1u);
}

TEST_F(KnownPort, IsSetToAnotherValue) {
  EXPECT_EQ(wanted_of(port_with(0, 8), port_with(19, 8)), port_with(19, 8));
}

TEST_F(KnownPort, IsSetAgainIfTheValueDiffersFromTheAnswerToTheSet) {
  EXPECT_EQ(wanted_of(port_with(5, 8), port_with(18, 8)), port_with(18, 8));
}

TEST_F(KnownPort, IsSetAgainAfterTheLossOfAStoredValue) {
  EXPECT_EQ(wanted_of(port_with(0, 0), port_with(18, 8)), port_with(0, 8));
}

TEST_F(KnownPort, IsSetAgainAfterTheLossOfTheAddress) {
  PortInfo lost = port_with(0, 8);
  lost.lid = kLidNone;
  EXPECT_EQ(wanted_of(lost, port_with(18, 8)).lid, Lid(7));
}

TEST_F(KnownPort, IsRemovedWhenThePortStoresTheValue) {
  held.ports().remember(kNode, kPort, port_with(18, 8), port_with(18, 8));
  EXPECT_EQ(held.ports().count(), 0u);
  EXPECT_EQ(wanted_of(port_with(0, 8), port_with(18, 8)), port_with(18, 8));
}

TEST_F(KnownPort, IsRemovedWithItsNode) {
  held.forget(kNode);
  EXPECT_EQ(held.ports().count(), 0u);
  EXPECT_EQ(wanted_of(port_with(0, 8), port_with(18, 8)), port_with(18, 8));
}

TEST_F(KnownPort, IsRemovedWhenItsNodeIsAbsent) {
  held.ports().distrust(Observed{});
  EXPECT_EQ(held.ports().count(), 0u);
}

TEST_F(KnownPort, IsRemovedWhenAnotherManagerWasMaster) {
  held.forget_all();
  EXPECT_EQ(held.ports().count(), 0u);
}

TEST_F(KnownPort, IsDescribedWithItsValues) {
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  held.forget_all();
  EXPECT_EQ(held.ports().example(fabric), "");
  const Node& node = fabric.node(NodeId(0));
  held.ports().remember(node.node_guid, PortNum(2), port_with(18, 8), port_with(0, 9));
  EXPECT_EQ(
      held.ports().example(fabric),
      describe(node) + " port 2: HOQLife 0 after a Set to 18, OverrunErrors 9 after a Set to 8");
}

TEST_F(KnownPort, OtherPortsOfTheNodeAreSet) {
  EXPECT_EQ(held.ports().without_unstored(kNode, PortNum(2), port_with(0, 8), port_with(18, 8)),
            port_with(18, 8));
}

PortInfo port_with_widths(std::uint8_t enabled) {
  PortInfo info = port_with(18, 8);
  info.link_width_supported = 3;
  info.link_width_enabled = enabled;
  return info;
}

TEST(WidthsOfAPort, AreNotSetAgainIfThePortDoesNotEnableAll) {
  HeldTables held;
  held.ports().remember(kNode, kPort, port_with_widths(255), port_with_widths(2));
  EXPECT_EQ(held.ports().count(), 1u);
  EXPECT_EQ(held.ports().without_unstored(kNode, kPort, port_with_widths(2), port_with_widths(255)),
            port_with_widths(2));
  EXPECT_EQ(held.ports().without_unstored(kNode, kPort, port_with_widths(1), port_with_widths(255)),
            port_with_widths(255));
}

TEST(WidthsOfAPort, CountAsStoredIfAllSupportedAreEnabledOrNoneWereSet) {
  HeldTables held;
  held.ports().remember(kNode, kPort, port_with_widths(255), port_with_widths(3));
  held.ports().remember(kNode, kPort, port_with_widths(0), port_with_widths(2));
  EXPECT_EQ(held.ports().count(), 0u);
}

TEST(ExtendedSpeedsOfAPort, CountAsStoredIfTheSetDisablesExtendedSpeeds) {
  PortInfo set = port_with(18, 8), answer = set;
  set.link_speed_ext_enabled = 30;  // disables extended speeds
  HeldTables held;
  held.ports().remember(kNode, kPort, set, answer);
  EXPECT_EQ(held.ports().count(), 0u);
  answer.link_speed_ext_enabled = 1;
  held.ports().remember(kNode, kPort, set, answer);
  EXPECT_EQ(held.ports().count(), 1u);
}

//  H0 H1 - S0 = S1 - H2 H3
class DevicesThatDropValues : public testing::Test {
 protected:
  DevicesThatDropValues() : managed(Tiny(2).link(0, 1, 2).hosts(0, 2).hosts(1, 2).build()) {
    for (std::uint32_t n = 0; n < managed.fabric().node_count(); ++n)
      managed.emulated().set_behavior(NodeId(n), {.stores_thresholds = false});
    managed.start();
    EXPECT_TRUE(managed.settle());
    EXPECT_TRUE(managed.report().up) << managed.report().error;
  }
  /// Runs a heavy sweep, and returns the number of Set(PortInfo) that it sent.
  std::uint64_t sets_of_a_sweep() {
    const std::uint64_t before = managed.sets(AttributeId::kPortInfo);
    managed.sm().request_heavy_sweep("test");
    managed.run_for(kSecond);
    EXPECT_TRUE(managed.settle());
    EXPECT_TRUE(managed.report().up) << managed.report().error;
    return managed.sets(AttributeId::kPortInfo) - before;
  }
  ManagedSubnet managed;
};

TEST_F(DevicesThatDropValues, AreNotSetAgainInEachSweep) {
  expect_managed(managed);
  EXPECT_EQ(managed.report().ports_with_unstored_values, 8u)
      << "each switch port with a link does not store the value";
  EXPECT_EQ(sets_of_a_sweep(), 0u);
  EXPECT_EQ(sets_of_a_sweep(), 0u);
  EXPECT_EQ(managed.report().ports_with_unstored_values, 8u);
}

TEST_F(DevicesThatDropValues, AreSetAgainAfterAFullDiscovery) {
  const std::uint64_t before = managed.sets(AttributeId::kPortInfo);
  managed.sm().request_full_discovery("test");
  managed.run_for(kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.sets(AttributeId::kPortInfo) - before, 8u);
}

TEST_F(DevicesThatDropValues, AreSetAgainAfterAReset) {
  const EndportId host(5);
  const PortId port = managed.fabric().endport(host).port;
  const NodeId node = managed.fabric().endport(host).node;
  managed.emulated().switch_off_node(node);
  managed.run_for(20 * kSecond);
  managed.emulated().set_behavior(node, {});
  managed.emulated().switch_on_node(node);
  managed.run_for(20 * kSecond);
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().port_info(port).overrun_errors,
            managed.options.overrun_errors_threshold);
  EXPECT_EQ(sets_of_a_sweep(), 0u);
}

TEST_F(DevicesThatDropValues, AreSetAgainWhenTheirLinkReturns) {
  const PortId port = managed.fabric().endport(EndportId(5)).port;
  managed.emulated().cut_cable(port);
  managed.run_for(20 * kSecond);
  EXPECT_EQ(managed.report().ports_with_unstored_values, 7u)
      << "a port without a link must not count";
  managed.emulated().set_behavior(managed.fabric().endport(EndportId(5)).node, {});
  managed.emulated().restore_cable(port);
  managed.run_for(20 * kSecond);
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().port_info(port).overrun_errors,
            managed.options.overrun_errors_threshold);
}

TEST_F(DevicesThatDropValues, AreSetToOtherValuesOfNewOptions) {
  SmOptions other = managed.options;
  other.overrun_errors_threshold = 3;
  managed.sm().set_options(other);
  EXPECT_EQ(sets_of_a_sweep(), 12u)
      << "hosts, which store values, must be set to the new value as well";
  EXPECT_EQ(sets_of_a_sweep(), 0u);
}

/// A Set for another reason contains the values too, and does not change the record of unstored
/// values.
TEST_F(DevicesThatDropValues, StayKnownAfterFurtherSets) {
  managed.sm().request_reroute();
  managed.run_for(kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(sets_of_a_sweep(), 0u);
}

}  // namespace
}  // namespace weft
