// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// FDR10, which only a vendor attribute distinguishes from QDR: devices that support the attribute,
// refuse the query, or never answer.

#include "sm/discovery/fdr10.h"

#include <gtest/gtest.h>

#include "emulator/model.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint16_t kSwitchX = 0xC738;
constexpr std::uint16_t kConnectX3 = 0x1003;

/// Makes all nodes of the builder devices that may support FDR10, and all cables of this speed.
void make_mellanox(Tiny& tiny, LinkSpeed speed) {
  FabricBuilder& builder = tiny.builder();
  for (std::uint32_t n = 0; n < builder.node_count(); ++n) {
    Node& node = builder.node(n);
    node.vendor_id = 0x2C9;
    node.device_id = node.type == NodeType::kSwitch ? kSwitchX : kConnectX3;
    for (unsigned port = 1; port <= node.port_count; ++port) {
      FabricBuilder::PortSpec spec;
      spec.speed = speed;
      spec.width = LinkWidth::k4x;
      CHECK(builder.describe_port(n, PortNum(static_cast<std::uint8_t>(port)), spec).has_value());
    }
  }
}

//  H0 H1 - S0 - S1 - H2, where H1's cable is QDR and all others are FDR10
constexpr unsigned kCables = 4;
Fabric small_fabric() {
  Tiny tiny(2);
  tiny.link(0, 1).hosts(0, 2).hosts(1);
  make_mellanox(tiny, LinkSpeed::kFdr10);
  FabricBuilder::PortSpec qdr;
  qdr.speed = LinkSpeed::kQdr;
  CHECK(tiny.builder().describe_port(3, PortNum(1), qdr).has_value());
  return tiny.build();
}

std::uint64_t fdr10_queries(ManagedSubnet& managed) {
  return managed.emulated().counters().requests(Method::kGet, AttributeId::kMlnxExtendedPortInfo);
}

std::string speeds(const Fabric& fabric) {
  std::string text;
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p) {
    const Port& port = fabric.port(PortId(p));
    if (port.peer != kNoPort && PortId(p) < port.peer)
      text += describe(fabric, PortId(p)) + ": " + std::string(name(port.speed)) + "\n";
  }
  return text;
}
std::size_t count(const Fabric& fabric, LinkSpeed speed) {
  std::size_t ends = 0;
  for (std::uint32_t p = 0; p < fabric.port_count(); ++p)
    ends += fabric.port(PortId(p)).peer != kNoPort && fabric.port(PortId(p)).speed == speed;
  return ends / 2;
}

void sweep_again(ManagedSubnet& managed) {
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
}

TEST(Fdr10, IsDistinguishedFromQdr) {
  ManagedSubnet managed(small_fabric());
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(count(managed.known(), LinkSpeed::kFdr10), 3u) << speeds(managed.known());
  EXPECT_EQ(count(managed.known(), LinkSpeed::kQdr), 1u) << speeds(managed.known());
  EXPECT_EQ(fdr10_queries(managed), 2 * kCables);
  EXPECT_EQ(managed.sets(AttributeId::kMlnxExtendedPortInfo), 0u);
  EXPECT_TRUE(managed.report().degraded_links.empty()) << managed.report().degraded_links.front();
}

TEST(Fdr10, IsNotReadIfDisabled) {
  ManagedSubnet managed(small_fabric());
  managed.options.fdr10 = Fdr10::kIgnore;
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(fdr10_queries(managed), 0u);
  EXPECT_EQ(count(managed.known(), LinkSpeed::kFdr10), 0u) << speeds(managed.known());
}

TEST(Fdr10, IsNotReadFromOtherDevicesOrFasterLinks) {
  Tiny other(2);
  other.link(0, 1).hosts(0, 2).hosts(1);
  ManagedSubnet managed(other.build());
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(fdr10_queries(managed), 0u);

  Tiny fast(2);
  fast.link(0, 1).hosts(0, 2).hosts(1);
  make_mellanox(fast, LinkSpeed::kEdr);
  ManagedSubnet edr(fast.build());
  edr.start();
  ASSERT_TRUE(edr.settle());
  EXPECT_EQ(fdr10_queries(edr), 0u);
}

class Fdr10Switch : public testing::TestWithParam<bool> {};

/// Each link retrains, which takes one or two sweeps.
TEST_P(Fdr10Switch, ConvergesToTheOption) {
  const bool on = GetParam();
  EmulatorOptions emulator;
  emulator.fdr10_enabled = !on;
  ManagedSubnet managed(small_fabric(), emulator);
  managed.options.fdr10 = on ? Fdr10::kOn : Fdr10::kOff;
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.run_for(seconds(60));
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(count(managed.known(), LinkSpeed::kFdr10), on ? 3u : 0u) << speeds(managed.known());
  EXPECT_GE(managed.sets(AttributeId::kMlnxExtendedPortInfo), 2 * kCables - 2);
  EXPECT_LE(managed.sm().heavy_sweeps(), 8u);

  managed.emulated().reset_counters();
  sweep_again(managed);
  managed.run_for(seconds(60));
  EXPECT_EQ(managed.sets(AttributeId::kMlnxExtendedPortInfo), 0u);
  EXPECT_TRUE(managed.report().up) << managed.report().error;
}

INSTANTIATE_TEST_SUITE_P(OnAndOff, Fdr10Switch, testing::Bool());

/// The emulated ports have a bandwidth utilization other than 0.
TEST(Fdr10, ASetKeepsTheOtherFieldsOfThePort) {
  EmulatorOptions emulator;
  emulator.fdr10_enabled = false;
  ManagedSubnet managed(small_fabric(), emulator);
  managed.options.fdr10 = Fdr10::kOn;
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_GE(managed.sets(AttributeId::kMlnxExtendedPortInfo), 2 * kCables - 2);
  const PortId cable = managed.cable_between(SwitchId(0), SwitchId(1));
  SmpData data = managed.emulated().extended_port_info(cable);
  EXPECT_NE((*decode_extended_port_info(data)).link_speed_enabled & kFdr10Bit, 0);
  write_extended_port_info({}, data);
  EXPECT_EQ(data, emulator::extended_port_info_of_power_up());
}

TEST(Fdr10, IsNotReadAgainAfterRefusal) {
  EmulatorOptions emulator;
  emulator.extended_ports = ExtendedPorts::kRefused;
  ManagedSubnet managed(small_fabric(), emulator);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_TRUE(managed.report().warnings.empty()) << managed.report().warnings.front();
  EXPECT_LE(fdr10_queries(managed), 2 * kCables);
  EXPECT_EQ(count(managed.known(), LinkSpeed::kQdr), 4u) << speeds(managed.known());
  managed.emulated().reset_counters();
  sweep_again(managed);
  EXPECT_EQ(fdr10_queries(managed), 0u);
}

/// The fabric has a spine and three leaves with 30 hosts each.
TEST(Fdr10, CostsOneTimeoutForEachDeviceKindThatDoesNotAnswer) {
  Tiny tiny(4, 36);
  for (unsigned leaf = 1; leaf < 4; ++leaf) tiny.link(0, leaf).hosts(leaf, 30);
  make_mellanox(tiny, LinkSpeed::kFdr10);
  EmulatorOptions emulator;
  emulator.extended_ports = ExtendedPorts::kIgnored;
  ManagedSubnet managed(tiny.build(), emulator);
  const TimeNs before = managed.emulated().clock().now();
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  const TimeNs timeout = milliseconds(200) * 4;
  EXPECT_LT(managed.emulated().clock().now() - before, 3 * timeout);
  // Requests that wait for the window fail together with the outstanding requests.
  EXPECT_LE(managed.report().smps.timed_out, 3u * managed.options.max_wire_smps);
  EXPECT_TRUE(managed.report().warnings.empty()) << managed.report().warnings.front();

  managed.emulated().reset_counters();
  const TimeNs again = managed.emulated().clock().now();
  sweep_again(managed);
  EXPECT_EQ(fdr10_queries(managed), 0u);
  EXPECT_LT(managed.emulated().clock().now() - again, milliseconds(150));
}

TEST(Fdr10, ANodeWithoutAnswerDoesNotExcludeAKindThatAnswered) {
  NodeInfo node, second;
  node.device_id = second.device_id = kConnectX3;
  node.node_guid = Guid(1);
  second.node_guid = Guid(2);
  PortInfo port;
  port.state = PortState::kActive;
  port.link_speed_supported = 7;

  Fdr10Devices devices;
  EXPECT_TRUE(devices.should_query(node, port));
  devices.note_silence(node);
  EXPECT_FALSE(devices.should_query(node, port));
  EXPECT_FALSE(devices.should_query(second, port));
  devices.answered(second);  // queried before the other device timed out
  EXPECT_TRUE(devices.should_query(second, port));
  EXPECT_FALSE(devices.should_query(node, port));
  port.link_speed_ext_active = 1;
  EXPECT_FALSE(devices.should_query(second, port));
}

}  // namespace
}  // namespace weft
