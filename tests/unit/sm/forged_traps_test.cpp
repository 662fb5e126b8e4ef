// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traps of hostile hosts: traps that are ignored, and a limit of the work that any number of traps
// causes.

#include <gtest/gtest.h>

#include "base/rng.h"
#include "sm/discovery/directed.h"
#include "sm/traps/trap_limits.h"
#include "support/log_lines.h"
#include "support/managed_subnet.h"
#include "support/notices.h"

namespace weft {
namespace {

using std::chrono::milliseconds;

TEST(TrapLimits, DropsIdleSendersOnly) {
  TrapLimits limits;
  const Lid busy(0xBFFF);
  for (unsigned i = 0; i < TrapLimits::kHandledBurst; ++i)
    EXPECT_TRUE(limits.may_handle(busy, kSecond));
  EXPECT_FALSE(limits.may_handle(busy, kSecond));
  for (unsigned i = 1; i <= 3 * TrapLimits::kSendersMax; ++i)
    EXPECT_TRUE(
        limits.may_handle(Lid(static_cast<std::uint16_t>(i)), kSecond + i * kSecond / 1000));
  EXPECT_LE(limits.senders(), TrapLimits::kSendersMax + TrapLimits::kSendersMax);
  EXPECT_FALSE(limits.may_handle(busy, kSecond));
}

/// Hosts and switches that send traps with any content to the manager.
class ForgedTraps : public testing::Test {
 protected:
  void bring_up() {
    managed.start();
    ASSERT_TRUE(managed.settle());
    sweeps = managed.sm().heavy_sweeps();
  }
  EndportId host(unsigned number) const {
    return EndportId(managed.fabric().switch_count() + number);
  }
  EndportId leaf_of(EndportId endport) const {
    return Fabric::endport_of(managed.fabric().endport(endport).sw);
  }
  Lid lid_of(EndportId endport) {
    return managed.emulated().port_info(managed.fabric().endport(endport).port).lid;
  }
  PhysState phys(EndportId endport) {
    const PortId port = managed.fabric().port(managed.fabric().endport(endport).port).peer;
    return managed.emulated().port_info(port).phys_state;
  }
  SmpTransport& wire_of(EndportId from) {
    const auto [known, is_new] = wires.try_emplace(from.value());
    if (is_new) known->second = &managed.emulated().attach(from, false);
    return *known->second;
  }
  void send(EndportId from, const Notice& notice, Lid slid) {
    const Lid manager = managed.sm().snapshot()->sm_lid();
    ASSERT_TRUE(wire_of(from).send(trap_of(notice, slid, manager, ++transaction)));
  }
  Notice forged(TrapNumber number, const NoticeDetails& details, Lid issuer) const {
    return notice_of(number, NoticeType::kUrgent, details, issuer, Producer::kSwitch);
  }
  void send_trap(EndportId from, TrapNumber number, const NoticeDetails& details,
                 TimeNs pause = milliseconds(20)) {
    send(from, forged(number, details, lid_of(from)), lid_of(from));
    managed.run_for(pause);
  }
  /// Sends a trap with a random number and random details that name the sender.
  void send_random_trap(EndportId from, Rng& rng) {
    const Lid own = lid_of(from);
    TrapCapability change{own, rng.below(2) == 0, static_cast<std::uint32_t>(rng.below(1u << 31)),
                          static_cast<std::uint16_t>(rng.below(16))};
    switch (rng.below(5)) {
      case 0:
        return send(from,
                    forged(TrapNumber::kSystemGuidChange,
                           encode(TrapSystemGuid{own, Guid(rng.below(1u << 30))}), own),
                    own);
      case 1:
        return send(from,
                    forged(TrapNumber::kLinkIntegrity, encode(TrapPortError{own, PortNum(1)}), own),
                    own);
      case 2: {
        Notice vendor = forged(static_cast<TrapNumber>(rng.below(0x10000)), {}, own);
        vendor.generic = rng.below(2) == 0;
        for (std::byte& each : vendor.details) each = static_cast<std::byte>(rng.below(256));
        return send(from, vendor, own);
      }
      default:
        return send(from, forged(TrapNumber::kCapabilityChange, encode(change), own), own);
    }
  }
  /// Sets another LID on the port of host 3, by a request from host 2 with the M_Key of the port.
  void take_lid(Lid lid) {
    const EndportId from = host(3);
    const Endport& sender = managed.fabric().endport(from);
    PortInfo info = managed.emulated().port_info(sender.port);
    info.lid = lid;
    info.state = PortState::kNoChange;
    info.phys_state = PhysState::kNoChange;
    Smp request = directed_request(Method::kSet, AttributeId::kPortInfo,
                                   managed.fabric().port(sender.port).num.value(),
                                   longer(longer({}, PortNum(1)), sender.sw_port));
    ASSERT_EQ(leaf_of(host(2)), leaf_of(from));
    request.mkey = managed.options.m_key;
    request.data = encode(info);
    ASSERT_TRUE(wire_of(host(2)).send(request));
    managed.run_for(milliseconds(50));
    ASSERT_EQ(lid_of(from), lid);
  }
  unsigned represses_to(EndportId endport, const std::function<void()>& cause) {
    unsigned count = 0;
    managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
      if (smp.method == Method::kTrapRepress && to == managed.fabric().endport(endport).node) {
        ++count;
        keys.push_back(smp.mkey);
      }
      return EmulatedFabric::Delivery::kPass;
    });
    cause();
    managed.run_for(kSecond);
    managed.emulated().set_filter({});
    return count;
  }

  ManagedSubnet managed{fabric_of("fattree2:k=4")};
  std::map<std::uint32_t, SmpTransport*> wires;
  std::uint64_t sweeps = 0;
  std::uint64_t transaction = 0;
  std::vector<Mkey> keys;  // in the TrapRepress messages received
};

TEST_F(ForgedTraps, HostCannotReportALinkStateChange) {
  bring_up();
  const EndportId from = host(3);
  for (const Lid named : {lid_of(from), lid_of(leaf_of(from)), Lid(999), kLidNone})
    send_trap(from, TrapNumber::kLinkStateChange, encode(TrapLinkState{named}));
  managed.run_for(60 * kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  EXPECT_TRUE(managed.sm().take_traps().empty())
      << "forged traps must not be forwarded to subscribers";
}

TEST_F(ForgedTraps, SwitchCanReportOnlyLinksOfTheSwitch) {
  bring_up();
  const EndportId from = Fabric::endport_of(SwitchId(3));
  for (const Lid named : {lid_of(Fabric::endport_of(SwitchId(2))), lid_of(host(0)), Lid(999)})
    send_trap(from, TrapNumber::kLinkStateChange, encode(TrapLinkState{named}));
  managed.run_for(kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  send_trap(from, TrapNumber::kLinkStateChange, encode(TrapLinkState{lid_of(from)}));
  managed.run_for(kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps + 1);
}

TEST_F(ForgedTraps, ErrorTrapDisablesNoPortOfAnotherNode) {
  managed.options.babbling_port_policy = true;
  managed.options.sweep_interval = milliseconds(0);
  bring_up();
  const EndportId from = host(3), victim = host(2);
  ASSERT_EQ(leaf_of(from), leaf_of(victim));
  const PortNum port_to_victim = managed.fabric().endport(victim).sw_port;
  for (const TrapPortError& error :
       {TrapPortError{lid_of(victim), PortNum(1)},
        TrapPortError{lid_of(leaf_of(victim)), port_to_victim},
        TrapPortError{lid_of(from), PortNum(2)}, TrapPortError{lid_of(from), PortNum(0)}})
    for (int i = 0; i < 300; ++i) send_trap(from, TrapNumber::kLinkIntegrity, encode(error));
  managed.run_for(kSecond);
  EXPECT_EQ(phys(victim), PhysState::kLinkUp);
  EXPECT_EQ(phys(from), PhysState::kLinkUp);
  // Only the switch at the other end of the cable may report the port; another switch may not.
  const EndportId other = leaf_of(host(managed.fabric().ca_count() - 1));
  ASSERT_NE(other, leaf_of(victim));
  const auto about_victim = encode(TrapPortError{lid_of(victim), PortNum(1)});
  for (int i = 0; i < 300; ++i) send_trap(other, TrapNumber::kLinkIntegrity, about_victim);
  EXPECT_EQ(phys(victim), PhysState::kLinkUp);
  for (int i = 0; i < 300; ++i)
    send_trap(leaf_of(victim), TrapNumber::kLinkIntegrity, about_victim);
  managed.run_for(kSecond);
  EXPECT_EQ(phys(victim), PhysState::kDisabled);
}

TEST_F(ForgedTraps, TrapsOfAnyContentCauseFewSweepsAndLogLines) {
  bring_up();
  const EndportId from = host(3);
  Rng rng(1);
  const LogLines log;
  managed.sm().take_occurrences();
  constexpr unsigned kSeconds = 120;
  managed.emulated().reset_counters();
  const auto lines = log.count("");
  for (unsigned i = 0; i < kSeconds * 20; ++i) {
    send_random_trap(from, rng);
    managed.run_for(milliseconds(50));
  }
  const auto caused = managed.sm().heavy_sweeps() - sweeps;
  EXPECT_GE(caused, 1u) << "the manager must read the attributes that the trap reports as changed";
  EXPECT_LE(caused, TrapLimits::kSweepBurst + kSeconds / 30 + 2);
  EXPECT_LE(log.count("trap"), TrapLimits::kLoggedBurst + 4 * kSeconds / 60 + 3 * caused + 20);
  EXPECT_GE(log.count("were not logged"), 1u);
  EXPECT_LE(log.count("") - lines, 400u)
      << "log lines in two minutes, including the lines of sweeps and updates";
  std::size_t events = 0;
  for (const Occurrence& each : managed.sm().take_occurrences())
    events += std::holds_alternative<TrapReceived>(each);
  EXPECT_LE(events, TrapLimits::kLoggedBurst + kSeconds / 60);
  EXPECT_LE(managed.sm().take_traps().size(), TrapLimits::kHandledBurst + kSeconds / 2);
  EXPECT_LE(managed.sm().updates(), TrapLimits::kReadBurst + kSeconds / 10 + kSeconds / 30);
}

TEST_F(ForgedTraps, ManyHostsTogetherCauseFewSweeps) {
  bring_up();
  Rng rng(2);
  constexpr unsigned kSeconds = 60;
  for (unsigned i = 0; i < kSeconds * 20; ++i) {
    for (unsigned number = 1; number < managed.fabric().ca_count(); ++number)
      send_random_trap(host(number), rng);
    managed.run_for(milliseconds(50));
  }
  EXPECT_LE(managed.sm().heavy_sweeps() - sweeps, TrapLimits::kAllSweepsBurst + kSeconds / 10 + 7);
}

/// Compares the times from the cut of a cable until the published fabric is without the cable,
/// without and with a flood of traps.
TEST_F(ForgedTraps, RoutesAvoidACutCableDuringAFlood) {
  std::vector<TimeNs> took;
  for (const bool flood : {false, true}) {
    bring_up();
    Rng rng(3);
    const auto flood_for = [&](TimeNs span) {
      const TimeNs end = managed.emulated().clock().now() + span;
      while (managed.emulated().clock().now() < end) {
        for (unsigned number = 1; flood && number < managed.fabric().ca_count(); ++number)
          send_random_trap(host(number), rng);
        managed.run_for(milliseconds(1));
      }
    };
    flood_for(20 * kSecond);
    const PortId cable = managed.cable_between(SwitchId(0), SwitchId(4));
    const auto links = managed.known().link_count();
    const TimeNs cut = managed.emulated().clock().now();
    managed.emulated().cut_cable(cable);
    while (managed.known().link_count() == links &&
           managed.emulated().clock().now() < cut + 60 * kSecond)
      flood_for(milliseconds(1));
    took.push_back(managed.emulated().clock().now() - cut);
    managed.emulated().restore_cable(cable);
    managed.run_for(30 * kSecond);
  }
  EXPECT_LE(took[1].count(), 2 * took[0].count() + 10'000'000)
      << "with a flood the update may take at most twice the time without a flood and 10 ms";
}

TEST_F(ForgedTraps, UnassignedLidGetsNoTrapRepress) {
  managed.options.m_key = Mkey(0x5EC2E7);
  bring_up();
  const EndportId from = host(3);
  unsigned represses = 0;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId) {
    represses += smp.method == Method::kTrapRepress;
    return EmulatedFabric::Delivery::kPass;
  });
  take_lid(Lid(999));
  for (const auto number : {TrapNumber::kCapabilityChange, TrapNumber::kLinkStateChange})
    send_trap(from, number, {});
  EXPECT_EQ(represses, 0u);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  managed.emulated().set_filter({});
}

TEST_F(ForgedTraps, UnassignedLidThatAnnouncesAManagerCausesFewSweepsAndLogLines) {
  bring_up();
  const LogLines log;
  const Lid unassigned(999);
  const NoticeDetails details = encode(TrapCapability{unassigned, false, cap_mask::kIsSm, 0});
  for (unsigned i = 0; i < 100; ++i) {
    take_lid(unassigned);
    send_trap(host(3), TrapNumber::kCapabilityChange, details);
  }
  managed.run_for(kSecond);
  EXPECT_GT(managed.sm().heavy_sweeps(), sweeps);
  EXPECT_LE(managed.sm().heavy_sweeps(), sweeps + TrapLimits::kSweepBurst + 1);
  EXPECT_EQ(log.count("which is not assigned"), TrapLimits::kLoggedBurst);
}

TEST_F(ForgedTraps, TrapRepressCarriesOnlyTheCurrentKeyOfThePort) {
  bring_up();
  const EndportId from = host(3);
  managed.options.m_key = Mkey(0x5EC2E7);
  managed.sm().set_options(managed.options);  // the M_Key of the ports is still 0
  const auto cause = [&] { send_trap(from, TrapNumber::kCapabilityChange, {}); };
  EXPECT_EQ(represses_to(from, cause), 1u);
  EXPECT_EQ(keys, std::vector<Mkey>{Mkey(0)});
  keys.clear();
  managed.sm().request_heavy_sweep("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(represses_to(from, cause), 1u);
  EXPECT_EQ(keys, std::vector<Mkey>{Mkey(0x5EC2E7)});
}

TEST_F(ForgedTraps, NoticesOfManagersAreNotForwarded) {
  bring_up();
  const EndportId from = host(3);
  managed.sm().take_traps();
  for (const auto number : {TrapNumber::kGidInService, TrapNumber::kGidOutOfService,
                            TrapNumber::kGroupCreated, TrapNumber::kGroupDeleted})
    send_trap(from, number, {});
  EXPECT_TRUE(managed.sm().take_traps().empty());
  // The issuer in a forwarded notice is the real sender.
  TrapBadKey bad;
  bad.lid1 = lid_of(host(1));
  bad.lid2 = lid_of(from);
  send(from, forged(TrapNumber::kBadQkey, encode(bad), lid_of(host(1))), lid_of(from));
  managed.run_for(kSecond);
  const auto forwarded = managed.sm().take_traps();
  ASSERT_EQ(forwarded.size(), 1u);
  EXPECT_EQ(forwarded[0].issuer_lid, lid_of(from));
}

}  // namespace
}  // namespace weft
