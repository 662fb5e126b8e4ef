// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Conditions that switches detect at their own ports: read in light sweeps from switches that
// announce them, and after traps about ports.
#include <gmock/gmock.h>

#include "ib/vendor/device_capabilities.h"
#include "ib/vendor/unhealthy_reason.h"
#include "sm/traps/responder.h"
#include "sm/traps/trap_limits.h"
#include "support/managed_subnet.h"
#include "support/notices.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr AttributeId kReasons = AttributeId::kMlnxExtendedPortInfo;
constexpr unsigned kPortsOfSwitch = 4;

/// A trap of a switch about its ports; the details besides the number are left out.
Notice vendor_notice(std::uint16_t number) {
  Notice notice;
  notice.generic = false;
  notice.type = NoticeType::kUrgent;
  notice.producer = 0x0002C9;
  notice.trap = 0xD2F0;
  notice.details[52] = static_cast<std::byte>(number >> 8);
  notice.details[53] = static_cast<std::byte>(number & 0xFF);
  return notice;
}

class PortReasons : public testing::Test {
 protected:
  explicit PortReasons(FeatureDevices support = FeatureDevices::kAll)
      : managed(fabric_of("fattree2:k=4"), emulator(support)) {
    managed.options.health.checks = true;
    managed.options.fdr10 = Fdr10::kIgnore;
  }
  ~PortReasons() override { managed.end_manager(); }
  static EmulatorOptions emulator(FeatureDevices support) {
    EmulatorOptions options;
    options.recovery = support;
    return options;
  }
  void bring_up() {
    managed.start();
    ASSERT_TRUE(managed.settle());
    managed.run_for(12 * kSecond);  // a light sweep
  }
  std::uint64_t reads() { return managed.emulated().counters().requests(Method::kGet, kReasons); }
  PortId cable() const { return managed.cable_between(SwitchId(1), SwitchId(5)); }
  CableEnd end_of(PortId port) const {
    const Port& data = managed.fabric().port(port);
    return {managed.fabric().node(data.node).node_guid, data.num};
  }
  /// Conditions of the link of cable(), separated by blanks.
  std::string conditions() {
    const Ports& ports = managed.sm().unhealthy_ports();
    auto found = ports.find(end_of(cable()));
    if (found == ports.end()) found = ports.find(end_of(managed.fabric().port(cable()).peer));
    if (found == ports.end()) return "";
    std::string text(name(found->second.action));
    for (const HealthCondition condition : found->second.conditions)
      text += " " + std::string(name(condition));
    return text;
  }
  void send_trap(EndportId sender, std::uint16_t number, std::uint64_t transaction = 1) {
    const Lid from = managed.emulated().port_info(managed.fabric().endport(sender).port).lid;
    SmpTransport& wire = managed.emulated().attach(sender, false);
    ASSERT_TRUE(wire.send(
        trap_of(vendor_notice(number), from, managed.sm().snapshot()->sm_lid(), transaction)));
    managed.run_for(std::chrono::milliseconds(100));
    managed.emulated().detach(sender);
  }

  using Ports = PortHealth::Ports;
  ManagedSubnet managed;
};

TEST_F(PortReasons, AreReportedUntilTheSwitchReportsNone) {
  using enum UnhealthyReason;
  bring_up();
  EXPECT_THAT(managed.sm().unhealthy_ports(), IsEmpty());
  const std::uint64_t sweeps = managed.sm().heavy_sweeps();
  for (const auto& [reason, text] :
       {std::pair(kCreditWatchdog, "report credit-watchdog"),
        std::pair(kSymmetry, "report symmetry"), std::pair(kRawBer, "report raw-ber"),
        std::pair(kEffectiveBer, "report effective-ber"),
        std::pair(kSymbolBer, "report symbol-ber"),
        std::pair(kContainAndDrain, "report contain-and-drain"), std::pair(kNone, ""),
        std::pair(UnhealthyReason{7}, ""), std::pair(UnhealthyReason{0xFF}, "")}) {
    managed.emulated().set_unhealthy_reason(cable(), reason);
    managed.sm().request_heavy_sweep("test");
    ASSERT_TRUE(managed.settle());
    managed.run_for(90 * kSecond);
    EXPECT_EQ(conditions(), text);
  }
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps + 9) << "a reported port must cause no sweep";
}

/// Without a heavy sweep, only ports with a reported condition are read again.
TEST_F(PortReasons, OfReportedPortsAreReadInEachLightSweep) {
  managed.emulated().set_unhealthy_reason(cable(), UnhealthyReason::kSymbolBer);
  bring_up();
  EXPECT_EQ(conditions(), "report symbol-ber");
  EXPECT_EQ(reads(), managed.fabric().switch_count() * kPortsOfSwitch);
  managed.emulated().reset_counters();
  managed.run_for(100 * kSecond);
  EXPECT_EQ(reads(), 10u);
  EXPECT_EQ(conditions(), "report symbol-ber");
  managed.emulated().set_unhealthy_reason(cable(), UnhealthyReason::kNone);
  managed.run_for(25 * kSecond);
  EXPECT_EQ(conditions(), "");
  managed.emulated().reset_counters();
  managed.run_for(100 * kSecond);
  EXPECT_EQ(reads(), 0u);
}

TEST_F(PortReasons, OfBothEndsOfALinkCountForOnePort) {
  bring_up();
  managed.emulated().set_unhealthy_reason(cable(), UnhealthyReason::kRawBer);
  managed.emulated().set_unhealthy_reason(managed.fabric().port(cable()).peer,
                                          UnhealthyReason::kCreditWatchdog);
  managed.sm().request_heavy_sweep("test");
  managed.run_for(15 * kSecond);
  EXPECT_EQ(managed.sm().unhealthy_ports().size(), 1u);
  EXPECT_EQ(conditions(), "report credit-watchdog raw-ber");
}

TEST_F(PortReasons, AreNotReadWithoutChecks) {
  managed.options.health.checks = false;
  bring_up();
  EXPECT_EQ(reads(), 0u);
  EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, kGeneralInfo),
            managed.fabric().switch_count())
      << "only the query for adaptive routing requests GeneralInfo";
  send_trap(EndportId(1), kFastRecoveryTrap);
  managed.run_for(20 * kSecond);
  EXPECT_EQ(reads(), 0u);
}

TEST_F(PortReasons, OfASwitchAreReadAfterItsTraps) {
  bring_up();
  for (const std::uint16_t trap : {kFastRecoveryTrap, kPortsRecoveredTrap, kLinkFlapTrap}) {
    managed.emulated().reset_counters();
    send_trap(EndportId(1), trap);
    EXPECT_EQ(reads(), kPortsOfSwitch) << trap;
  }
  managed.emulated().reset_counters();
  send_trap(EndportId(1), 1312);
  send_trap(EndportId(managed.fabric().switch_count() + 3), kFastRecoveryTrap);  // a host
  EXPECT_EQ(reads(), 0u);
}

TEST_F(PortReasons, AreReadWithinTheLimitsOnTraps) {
  bring_up();
  managed.emulated().reset_counters();
  for (unsigned i = 0; i < 60; ++i) send_trap(EndportId(1), kLinkFlapTrap, i + 1);
  EXPECT_GE(reads(), 5 * kPortsOfSwitch);
  EXPECT_LE(reads(), (TrapLimits::kReadBurst + 2) * kPortsOfSwitch);
  managed.run_for(15 * kSecond);
  EXPECT_LE(reads(), (TrapLimits::kReadBurst + 4) * kPortsOfSwitch);
}

/// The event is cleared, so that it is reported once. Other fields of the port stay the same.
TEST_F(PortReasons, RecoveredPortsAreReportedOnce) {
  bring_up();
  const SmpData before = managed.emulated().extended_port_info(cable());
  managed.emulated().set_port_recovered(cable());
  send_trap(EndportId(1), kPortsRecoveredTrap);
  EXPECT_EQ(managed.sets(kReasons), 1u);
  EXPECT_EQ(managed.emulated().extended_port_info(cable()), before);
  send_trap(EndportId(1), kPortsRecoveredTrap);
  EXPECT_EQ(managed.sets(kReasons), 1u);
  std::vector<PortRecovered> events;
  for (Occurrence& occurrence : managed.sm().take_occurrences())
    if (auto* event = std::get_if<PortRecovered>(&occurrence)) events.push_back(*event);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ((CableEnd{events[0].node, events[0].port}), end_of(cable()));
  EXPECT_EQ((CableEnd{events[0].peer, events[0].peer_port}),
            end_of(managed.fabric().port(cable()).peer));
  EXPECT_THAT(managed.sm().unhealthy_ports(), IsEmpty());
}

class PortReasonsOfMixedSwitches : public PortReasons {
 protected:
  PortReasonsOfMixedSwitches() : PortReasons(FeatureDevices::kMixed) {}
};

/// Of every four switches one supports all, one port recovery policies only, one does not respond,
/// and one refuses GeneralInfo.
TEST_F(PortReasonsOfMixedSwitches, AreReadOnlyFromSwitchesThatAnnounceThem) {
  bring_up();
  managed.run_for(10 * kSecond);
  EXPECT_EQ(reads(), 4 * kPortsOfSwitch + 1u + managed.options.transaction_retries)
      << "four of six switches respond, and the switch without response must get one request";
  managed.emulated().reset_counters();
  managed.sm().request_heavy_sweep("test");
  managed.run_for(15 * kSecond);
  EXPECT_EQ(reads(), 4 * kPortsOfSwitch) << "the switch without response must have a pause";
}

class PortReasonsOfOtherSwitches : public PortReasons {
 protected:
  PortReasonsOfOtherSwitches() : PortReasons(FeatureDevices::kNone) {}
};

TEST_F(PortReasonsOfOtherSwitches, AreNotRead) {
  bring_up();
  EXPECT_EQ(reads(), 0u);
  EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, kGeneralInfo), 0u);
}

/// Switches with SHARP announce ExtendedPortInfo, but neither fast recovery nor policies.
TEST(PortReasonsOfSharpSwitches, AreNotRead) {
  EmulatorOptions emulator;
  emulator.sharp = FeatureDevices::kAll;
  ManagedSubnet managed(fabric_of("fattree2:k=4"), emulator);
  managed.options.health.checks = true;
  managed.options.fdr10 = Fdr10::kIgnore;
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.run_for(12 * kSecond);
  EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, kGeneralInfo),
            managed.fabric().switch_count());
  EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, kReasons), 0u);
}

TEST(TrapTexts, HaveTheNumbersOfVendorSpecificTraps) {
  EXPECT_EQ(describe(vendor_notice(1148), Lid(7)), "trap 1148 (router data change) from LID 7");
  EXPECT_EQ(describe(vendor_notice(1312), Lid(7)), "trap 1312 (node reboot) from LID 7");
  EXPECT_EQ(describe(vendor_notice(1314), Lid(7)), "trap 1314 (fast recovery) from LID 7");
  EXPECT_EQ(describe(vendor_notice(1320), Lid(7)), "trap 1320 (ports recovered) from LID 7");
  EXPECT_EQ(describe(vendor_notice(1321), Lid(7)), "trap 1321 (link flap) from LID 7");
  EXPECT_THAT(describe(vendor_notice(1258), Lid(7)), HasSubstr("trap 1258 (bad Q_Key at a vport)"));
  EXPECT_EQ(describe(vendor_notice(1400), Lid(7)),
            "trap 1400 (vendor-specific, device id 54000) from LID 7");
}

}  // namespace
}  // namespace weft
