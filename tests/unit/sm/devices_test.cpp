// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Devices with different capabilities and faults in one fabric: extended speeds, widths, status
// BUSY, refusals, and PortStateChange.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ib/modifiers.h"
#include "sm/retry_pauses.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// The node of a host: nodes are numbered with the switches first.
NodeId host(std::uint32_t number) { return NodeId(2 + number); }

//  H0 H1 - S0 = S1 - H2 H3, all links of this speed
Fabric small_fabric(LinkSpeed speed) {
  Tiny tiny(2);
  tiny.link(0, 1, 2).hosts(0, 2).hosts(1, 2);
  FabricBuilder& builder = tiny.builder();
  FabricBuilder::PortSpec spec;
  spec.speed = speed;
  spec.width = LinkWidth::k4x;
  for (std::uint32_t n = 0; n < builder.node_count(); ++n)
    for (unsigned port = 1; port <= builder.node(n).port_count; ++port)
      CHECK(builder.describe_port(n, PortNum(static_cast<std::uint8_t>(port)), spec).has_value());
  return tiny.build();
}
constexpr unsigned kSwitchPorts = 2 * 9;
constexpr unsigned kHosts = 4;

void set_all(ManagedSubnet& managed, const DeviceBehavior& quirks) {
  for (std::uint32_t n = 0; n < managed.fabric().node_count(); ++n)
    managed.emulated().set_behavior(NodeId(n), quirks);
}

std::uint64_t port_info_gets(ManagedSubnet& managed) {
  return managed.emulated().counters().requests(Method::kGet, AttributeId::kPortInfo);
}

/// Number of connected ports by the link speed that the manager read.
std::map<LinkSpeed, unsigned> speeds(ManagedSubnet& managed) {
  std::map<LinkSpeed, unsigned> ends;
  const Fabric& known = managed.known();
  for (std::uint32_t p = 0; p < known.port_count(); ++p)
    if (known.port(PortId(p)).peer != kNoPort) ++ends[known.port(PortId(p)).speed];
  return ends;
}

TEST(ExtendedSpeedsOfDevices, AreNotReadWithoutCapability) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kQdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kUnsupported});
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().counters().bad_status, 0u);
  EXPECT_EQ(managed.known().node_count(), 6u);
  managed.run_for(std::chrono::minutes(2));
  EXPECT_EQ(managed.emulated().counters().bad_status, 0u)
      << "light sweeps must not request extended speeds";
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u);
}

TEST(ExtendedSpeedsOfDevices, AreMixedInAFabricOfOldAndNewDevices) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  managed.emulated().set_behavior(NodeId(1), {.extended_speeds = ExtendedSpeeds::kUnsupported});
  managed.emulated().set_behavior(NodeId(2), {.extended_speeds = ExtendedSpeeds::kUnsupported});
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
  EXPECT_EQ(managed.emulated().counters().bad_status, 0u);
  EXPECT_EQ(speeds(managed),
            (std::map<LinkSpeed, unsigned>{{LinkSpeed::kQdr, 10}, {LinkSpeed::kEdr, 2}}));
}

TEST(ExtendedSpeedsOfDevices, AreReadAgainOnlyFromCasThatOmitExtendedSpeeds) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  EXPECT_EQ(port_info_gets(managed), kSwitchPorts + kHosts);
  EXPECT_EQ(speeds(managed), (std::map<LinkSpeed, unsigned>{{LinkSpeed::kEdr, 12}}));

  ManagedSubnet strict(small_fabric(LinkSpeed::kEdr));
  set_all(strict, {.extended_speeds = ExtendedSpeeds::kOnRequest});
  strict.start();
  ASSERT_TRUE(strict.settle());
  ASSERT_TRUE(strict.report().up) << strict.report().error;
  expect_managed(strict);
  EXPECT_EQ(port_info_gets(strict), kSwitchPorts + 2 * kHosts);
  EXPECT_EQ(speeds(strict), speeds(managed));
  EXPECT_TRUE(strict.report().degraded_links.empty());
  EXPECT_EQ(strict.emulated().counters().bad_status, 0u);
}

/// The switches support at most QDR, so that PortInfo of the hosts is not read again.
TEST(ExtendedSpeedsOfDevices, AreNotReadIfTheNeighborHasNone) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kOnRequest});
  for (const std::uint32_t sw : {0u, 1u})
    managed.emulated().set_behavior(NodeId(sw), {.extended_speeds = ExtendedSpeeds::kUnsupported});
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
  // The restarted switches report PortStateChange, so that their 16 ports are read again.
  EXPECT_EQ(port_info_gets(managed), kSwitchPorts + 16 + kHosts + 1)
      << "the last request is for the port of the manager";
  EXPECT_EQ(managed.emulated().counters().bad_status, 0u);
  EXPECT_EQ(speeds(managed), (std::map<LinkSpeed, unsigned>{{LinkSpeed::kQdr, 12}}));
}

TEST(ExtendedSpeedsOfDevices, AreSetWithCapability) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kOnRequest});
  managed.options.force_link_speed_ext = 1;  // FDR only
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  for (std::uint32_t p = 0; p < managed.fabric().port_count(); ++p) {
    if (managed.fabric().port(PortId(p)).peer == kNoPort) continue;
    EXPECT_EQ(managed.emulated().port_info(PortId(p)).link_speed_ext_enabled, 1);
  }
}

// A switch announces support of 2x in CapabilityMask2 of port 0, for all its ports.
TEST(LinkWidths, Include2xIfTheNodeAnnouncesSupport) {
  constexpr std::uint8_t k2xOr4x = 16 + 2;
  ManagedSubnet managed(small_fabric(LinkSpeed::kHdr));
  const PortId silent = managed.fabric().port_id(NodeId(0), PortNum(0));
  managed.emulated().set_capability_mask(
      silent, managed.emulated().port_info(silent).capability_mask & ~cap_mask::kCapabilityMask2);
  managed.options.force_link_width = k2xOr4x;
  managed.start();
  ASSERT_TRUE(managed.settle());
  for (std::uint32_t p = 0; p < managed.fabric().port_count(); ++p) {
    const Port& port = managed.fabric().port(PortId(p));
    if (port.peer == kNoPort) continue;
    EXPECT_EQ(managed.emulated().port_info(PortId(p)).link_width_enabled,
              port.node == NodeId(0) ? 2 : k2xOr4x)
        << describe(managed.fabric(), PortId(p));
  }
}

TEST(ExtendedSpeedsOfDevices, OfXdrStayEnabledIfAnotherSpeedIsForced) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kXdr));
  managed.options.force_link_speed_ext = 8;  // NDR
  const auto enabled = [&] {
    managed.start();
    EXPECT_TRUE(managed.settle());
    return managed.emulated().port_info(managed.fabric().endport(managed.manager_endport()).port);
  };
  EXPECT_EQ(enabled().link_speed_ext2_enabled, 1) << "the speed XDR must stay enabled";
  const PortId port = managed.fabric().endport(managed.manager_endport()).port;
  EXPECT_EQ(managed.emulated().port_info(port).link_speed_ext_enabled, 8);
}

TEST(ExtendedSpeedsOfDevices, AreLeftOutOfRequestsToADeviceAfterARefusal) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kRefused});
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
  EXPECT_TRUE(managed.report().warnings.empty()) << managed.report().warnings.front();
  // Requests for all ports of a switch may be sent before its first answer; each CA may get one
  // Set.
  EXPECT_LE(managed.emulated().counters().bad_status, kSwitchPorts + kHosts);
  managed.emulated().reset_counters();
  managed.run_for(std::chrono::minutes(2));
  EXPECT_EQ(managed.emulated().counters().bad_status, 0u);
}

TEST(ExtendedSpeedsOfDevices, AreLeftOutOfRequestsAfterADeviceDidNotAnswer) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kRefused});
  const NodeId silent(1);
  managed.emulated().set_filter([&](const Smp& smp, NodeId from, NodeId) {
    const bool lost = from == silent && smp.attribute == AttributeId::kPortInfo &&
                      modifier::read_port_info(smp.modifier).sm_supports_extended_speeds;
    return lost ? EmulatedFabric::Delivery::kLose : EmulatedFabric::Delivery::kPass;
  });
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().switch_count(), 1u);
  managed.emulated().set_filter({});
  managed.run_for(std::chrono::minutes(1));
  expect_managed(managed);
  EXPECT_EQ(managed.known().link_count(), managed.fabric().link_count());
}

TEST(ExtendedSpeedsOfDevices, AreReadInIncrementalDiscovery) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  set_all(managed, {.extended_speeds = ExtendedSpeeds::kOnRequest});
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  const PortId host = managed.fabric().endport(EndportId(4)).port;
  managed.emulated().cut_cable(host);
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().node_count(), 5u);
  managed.emulated().restore_cable(host);
  managed.run_for(std::chrono::seconds(30));
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().discovered_incrementally);
  expect_managed(managed);
  EXPECT_EQ(speeds(managed), (std::map<LinkSpeed, unsigned>{{LinkSpeed::kEdr, 12}}));
}

TEST(DataOnNewLinks, MayActivatePortsBeforeTheManager) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  set_all(managed, {.active_by_data = true});
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
  EXPECT_GT(managed.emulated().counters().bad_status, 0u)
      << "data must activate at least one port before the manager";
  EXPECT_EQ(managed.report().applied.failed, 0u);
  managed.run_for(minutes(2));
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u);
}

TEST(DataOnNewLinks, ReportsAPortThatRefusesItsActivation) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  managed.emulated().set_behavior(host(3), {.refused_status = mad_status::kInvalidField,
                                            .refused_method = Method::kSet,
                                            .refused_attribute = AttributeId::kPortInfo});
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().up);
  ASSERT_EQ(managed.report().applied.failures.size(), 1u);
  EXPECT_NE(managed.report().applied.failures.front().find("status 0x001c"), std::string::npos)
      << managed.report().applied.failures.front();
  EXPECT_EQ(managed.report().applied.failed, 3u)
      << "the three failed Sets are for the addresses, ARMED and ACTIVE";
}

class BusyDevices : public testing::TestWithParam<std::pair<unsigned, unsigned>> {};

TEST_P(BusyDevices, AreRetriedUntilTheFirstAnswer) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  set_all(managed, {.busy_every = GetParam().first, .busy_burst = GetParam().second});
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
  EXPECT_EQ(managed.known().node_count(), 6u);
  EXPECT_TRUE(managed.report().warnings.empty()) << managed.report().warnings.front();
  EXPECT_GT(managed.report().smps.busy, 0u);
  managed.run_for(minutes(5));
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u);
}

INSTANTIATE_TEST_SUITE_P(EveryThirdTimeAndInBursts, BusyDevices,
                         testing::Values(std::pair{3u, 1u}, std::pair{40u, 6u},
                                         std::pair{10u, 6u}));

/// Whether a warning of the last sweep contains `text`.
bool is_warned(ManagedSubnet& managed, std::string_view text) {
  return std::ranges::any_of(managed.report().warnings, [&](const std::string& warning) {
    return warning.find(text) != std::string::npos;
  });
}

struct Refusal {
  DeviceBehavior quirks;
  std::string_view warning;
};
class RefusingDevices : public testing::TestWithParam<Refusal> {};

TEST_P(RefusingDevices, AreLeftOutWithAWarningAndRetried) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  managed.emulated().set_behavior(host(3), GetParam().quirks);
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  EXPECT_TRUE(is_warned(managed, GetParam().warning));
  EXPECT_EQ(managed.known().endport_count(), 5u);
  managed.run_for(minutes(10));
  EXPECT_EQ(managed.sm().heavy_sweeps(), 1u)
      << "no further sweep may occur while the device refuses";

  managed.emulated().set_behavior(host(3), {});
  managed.run_for(seconds(25));
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
  EXPECT_EQ(managed.known().endport_count(), 6u);
  EXPECT_EQ(managed.sm().heavy_sweeps(), 2u);
}

INSTANTIATE_TEST_SUITE_P(
    Statuses, RefusingDevices,
    testing::Values(
        Refusal{{.busy_every = 1}, "status 0x0001 (busy): left out, and retried later"},
        Refusal{{.refused_status = mad_status::kInvalidField,
                 .refused_attribute = AttributeId::kNodeInfo},
                "status 0x001c (invalid attribute or modifier): left out, and retried later"},
        Refusal{{.refused_status = mad_status::kMethodAttributeUnsupported,
                 .refused_attribute = AttributeId::kPortInfo},
                "port 1 answers with status 0x000c (method and attribute not supported) "
                "to PortInfo: treated as down, and retried later"}));

/// Status BUSY does not count as a refusal, even for settings that the routes do not need.
TEST(BusyForLong, SettingsAreWrittenByALaterSweep) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  managed.options.max_op_vls = 3;  // so that maps differ from those after power-up
  DeviceBehavior busy;
  busy.refused_status = mad_status::kBusy;
  busy.refused_method = Method::kSet;
  busy.refused_attribute = AttributeId::kSlToVlTable;
  managed.emulated().set_behavior(NodeId(0), busy);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().up);
  managed.emulated().set_behavior(NodeId(0), {});
  managed.run_for(minutes(2));
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
}

TEST(RefusingSwitch, DoesNotCauseEndlessSweeps) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  managed.emulated().set_behavior(NodeId(1),
                                  {.refused_status = mad_status::kMethodAttributeUnsupported,
                                   .refused_method = Method::kSet,
                                   .refused_attribute = AttributeId::kSwitchInfo});
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().up);
  managed.run_for(std::chrono::hours(1));
  EXPECT_LE(managed.sm().heavy_sweeps(), 20u);

  managed.emulated().set_behavior(NodeId(1), {});
  managed.run_for(minutes(6));
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
}

TEST(RefusingSwitch, KeepsPortStateChangeWithoutEndlessSweeps) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.emulated().set_behavior(NodeId(1),
                                  {.refused_status = mad_status::kMethodAttributeUnsupported,
                                   .refused_method = Method::kSet,
                                   .refused_attribute = AttributeId::kSwitchInfo});
  managed.emulated().cut_cable(managed.fabric().endport(EndportId(4)).port);
  managed.run_for(std::chrono::hours(1));
  EXPECT_EQ(managed.known().endport_count(), 5u);
  EXPECT_TRUE(is_warned(managed, "when PortStateChange is cleared"));
  EXPECT_LE(managed.sm().heavy_sweeps(), 20u);
  managed.emulated().restore_cable(managed.fabric().endport(EndportId(4)).port);
  managed.emulated().set_behavior(NodeId(1), {});
  managed.run_for(minutes(6));
  ASSERT_TRUE(managed.settle());
  ASSERT_TRUE(managed.report().up) << managed.report().error;
  expect_managed(managed);
}

/// A switch clears PortStateChange only at every second Set. This causes no additional sweep,
/// neither at the start (cleared after the election) nor later (cleared in the discovery).
TEST(PortStateChange, IsClearedInOneSweepWhereTwoSetsAreNeeded) {
  ManagedSubnet managed(small_fabric(LinkSpeed::kEdr));
  set_all(managed, {.clears_every_other_time = true});
  const PortId cable = managed.fabric().endport(EndportId(4)).port;
  managed.emulated().cut_cable(cable);
  managed.emulated().restore_cable(cable);
  managed.emulated().run_for(seconds(1));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto reports_change = [&](std::uint32_t s) {
    return managed.emulated().switch_info(SwitchId(s)).port_state_change;
  };
  for (std::uint32_t s = 0; s < 2; ++s) EXPECT_FALSE(reports_change(s));

  const std::uint64_t sweeps = managed.sm().heavy_sweeps();
  managed.emulated().set_filter([](const Smp& smp, NodeId, NodeId) {
    return smp.method == Method::kTrap ? EmulatedFabric::Delivery::kLose
                                       : EmulatedFabric::Delivery::kPass;
  });
  managed.emulated().cut_cable(cable);
  managed.sm().request_heavy_sweep("a test");
  managed.run_for(minutes(10));
  EXPECT_EQ(managed.known().endport_count(), 5u);
  for (std::uint32_t s = 0; s < 2; ++s) EXPECT_FALSE(reports_change(s));
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps + 1);
}

TEST(RetryPauses, DoublesThePauseAfterEachFailedSweep) {
  RetryPauses pauses;
  Observed observed;
  observed.silent.push_back({{}, AttributeId::kPortInfo, 1, "H3 port 1", true});
  const std::string name = RetryPauses::name(observed.silent.front());
  TimeNs now = seconds(1000);
  for (const int pause : {20, 40, 80, 160, 320, 320}) {
    EXPECT_TRUE(pauses.is_due(name, now));
    pauses.answered(name, now, seconds(10));
    pauses.keep(observed);
    EXPECT_FALSE(pauses.is_due(name, now + seconds(pause - 1)));
    now += seconds(pause);
  }
  observed.silent.clear();
  pauses.keep(observed);
  EXPECT_TRUE(pauses.is_due(name, TimeNs{0}));
}

}  // namespace
}  // namespace weft
