// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ports that send traps continuously: the count of equal traps, the limit of sweeps, and disabling
// of the port.
#include <gmock/gmock.h>

#include "sm/traps/responder.h"
#include "sm/traps/trap_ledger.h"
#include "support/managed_subnet.h"
#include "support/notices.h"

namespace weft {
namespace {

using testing::HasSubstr;

Notice notice_of(TrapNumber number, const NoticeDetails& details, Lid from) {
  return weft::notice_of(number, NoticeType::kUrgent, details, from, Producer::kCa);
}

TEST(TrapLedger, CountsEqualTrapsUntilAPause) {
  TrapLedger ledger;
  const Notice a = notice_of(TrapNumber::kLinkStateChange, encode(TrapLinkState{Lid(3)}), Lid(3));
  const Notice b = notice_of(TrapNumber::kLinkStateChange, encode(TrapLinkState{Lid(4)}), Lid(4));
  for (unsigned i = 1; i <= 20; ++i) EXPECT_EQ(ledger.count(a, Lid(3), i * kSecond), i);
  EXPECT_EQ(ledger.count(b, Lid(4), 20 * kSecond), 1u);
  EXPECT_EQ(ledger.count(a, Lid(3), 20 * kSecond + TrapLedger::kForgottenAfter), 21u);
  EXPECT_EQ(ledger.count(a, Lid(3), 31 * kSecond + TrapLedger::kForgottenAfter), 1u);
}

TEST(TrapLedger, HasBoundedSize) {
  TrapLedger ledger;
  const auto count = [&](unsigned lid) {
    return ledger.count(notice_of(TrapNumber::kBadPkey, {}, Lid(1)),
                        Lid(static_cast<std::uint16_t>(lid)), kSecond);
  };
  for (unsigned lid = 0; lid <= TrapLedger::kRowsMax; ++lid) EXPECT_EQ(count(lid), 1u);
  EXPECT_EQ(count(0), 1u) << "a full ledger must drop its counts";
}

/// Traps are counted together if they differ only in details that the sender can choose freely.
TEST(TrapLedger, CountsTrapsTogetherThatDifferInFreeDetailsOnly) {
  TrapLedger ledger;
  const auto count = [&](TrapNumber number, const NoticeDetails& details) {
    return ledger.count(notice_of(number, details, Lid(3)), Lid(3), kSecond);
  };
  for (std::uint32_t i = 1; i <= 5; ++i) {
    EXPECT_EQ(count(TrapNumber::kCapabilityChange, encode(TrapCapability{Lid(3), false, i << 8})),
              i);
    EXPECT_EQ(count(TrapNumber::kSystemGuidChange, encode(TrapSystemGuid{Lid(3), Guid(i)})), i);
    EXPECT_EQ(count(static_cast<TrapNumber>(1000 + i), {}), i);
  }
  EXPECT_EQ(count(TrapNumber::kLinkIntegrity, encode(TrapPortError{Lid(3), PortNum(1)})), 1u);
  EXPECT_EQ(count(TrapNumber::kLinkIntegrity, encode(TrapPortError{Lid(3), PortNum(2)})), 1u);
}

/// The last host of a fabric, or a switch, sends traps continuously.
class BabblingPort : public testing::Test {
 protected:
  BabblingPort() : babbling_endport(managed.fabric().endport_count() - 1) {
    managed.options.sweep_interval = std::chrono::milliseconds(0);
  }
  void bring_up() {
    managed.start();
    ASSERT_TRUE(managed.settle());
    wire = &managed.emulated().attach(babbling_endport, false);
    sweeps = managed.sm().heavy_sweeps();
  }
  Lid lid_of(EndportId endport) {
    return managed.emulated().port_info(managed.fabric().endport(endport).port).lid;
  }
  void send_trap(unsigned times, TrapNumber number, const NoticeDetails& details,
                 TimeNs pause = std::chrono::milliseconds(20)) {
    for (unsigned i = 0; i < times; ++i) {
      const Lid own = lid_of(babbling_endport);
      ASSERT_TRUE(wire->send(
          trap_of(notice_of(number, details, own), own, managed.sm().snapshot()->sm_lid(), i + 1)));
      managed.run_for(pause);
    }
  }
  PortId switch_port(EndportId of) {
    return managed.fabric().port(managed.fabric().endport(of).port).peer;
  }
  PhysState phys(PortId port) { return managed.emulated().port_info(port).phys_state; }

  ManagedSubnet managed{fabric_of("fattree2:k=4")};
  EndportId babbling_endport;
  SmpTransport* wire = nullptr;
  std::uint64_t sweeps = 0;
};

TEST_F(BabblingPort, HandlesARepeatedTrapTenTimesAndOnceAtTheEnd) {
  babbling_endport = Fabric::endport_of(SwitchId(2));
  bring_up();
  send_trap(200, TrapNumber::kLinkStateChange, encode(TrapLinkState{lid_of(babbling_endport)}));
  EXPECT_LE(managed.sm().heavy_sweeps(), sweeps + 10);
  EXPECT_GE(managed.sm().heavy_sweeps(), sweeps + 9);
  managed.run_for(60 * kSecond);
  EXPECT_LE(managed.sm().heavy_sweeps(), sweeps + 11)
      << "one sweep must handle the remaining traps";
  EXPECT_THAT(managed.report().reason, HasSubstr("trap storm"));
  const auto before = managed.sm().heavy_sweeps();
  send_trap(1, TrapNumber::kLinkStateChange, encode(TrapLinkState{lid_of(babbling_endport)}));
  managed.run_for(kSecond);
  EXPECT_EQ(managed.sm().heavy_sweeps(), before + 1)
      << "the first trap after a pause must cause a sweep";
}

TEST_F(BabblingPort, DisablesABabblingPortIfConfigured) {
  for (const bool policy : {false, true}) {
    managed.options.babbling_port_policy = policy;
    if (wire != nullptr) managed.emulated().detach(babbling_endport);
    bring_up();
    for (const TrapNumber number : {TrapNumber::kLinkIntegrity, TrapNumber::kBufferOverrun})
      send_trap(200, number, encode(TrapPortError{lid_of(babbling_endport), PortNum(1)}));
    managed.run_for(kSecond);
    EXPECT_EQ(phys(switch_port(babbling_endport)), PhysState::kLinkUp)
        << "200 traps of each number, fewer than 250 equal traps";
    managed.run_for(30 * kSecond);
    send_trap(260, TrapNumber::kLinkIntegrity,
              encode(TrapPortError{lid_of(babbling_endport), PortNum(1)}));
    managed.run_for(kSecond);
    EXPECT_EQ(phys(switch_port(babbling_endport)),
              policy ? PhysState::kDisabled : PhysState::kLinkUp);
    EXPECT_EQ(managed.known().ca_count(), managed.fabric().ca_count() - (policy ? 1 : 0));
    EXPECT_TRUE(managed.report().up);
  }
}

TEST_F(BabblingPort, NeverDisablesTheManagersPort) {
  managed.options.babbling_port_policy = true;
  bring_up();
  const EndportId own(managed.fabric().switch_count());
  const Lid leaf = lid_of(Fabric::endport_of(managed.fabric().endport(own).sw));
  const PortNum port_to_manager = managed.fabric().endport(own).sw_port;
  send_trap(260, TrapNumber::kLinkIntegrity, encode(TrapPortError{lid_of(own), PortNum(1)}));
  send_trap(260, TrapNumber::kLinkIntegrity, encode(TrapPortError{leaf, port_to_manager}));
  send_trap(260, TrapNumber::kLinkIntegrity, encode(TrapPortError{Lid(999), PortNum(77)}));
  send_trap(260, TrapNumber::kLinkIntegrity, encode(TrapPortError{leaf, PortNum(200)}));
  managed.run_for(kSecond);
  EXPECT_EQ(phys(switch_port(own)), PhysState::kLinkUp);
}

TEST_F(BabblingPort, RepressesEveryTrap) {
  bring_up();
  managed.emulated().reset_counters();
  for (const auto number :
       {TrapNumber::kLinkIntegrity, TrapNumber::kBufferOverrun, TrapNumber::kFlowControlWatchdog,
        TrapNumber::kSystemGuidChange, TrapNumber::kBadMkey, TrapNumber::kBadPkey,
        TrapNumber::kBadQkey, TrapNumber::kBadPkeySwitchPort}) {
    unsigned answers = 0;
    managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
      answers += smp.method == Method::kTrapRepress &&
                 to == managed.fabric().endport(babbling_endport).node;
      return EmulatedFabric::Delivery::kPass;
    });
    send_trap(15, number, {});
    EXPECT_EQ(answers, 15u) << static_cast<int>(number);
    EXPECT_EQ(describe(notice_of(number, {}, Lid(1)), Lid(1)).find("unknown"), std::string::npos);
  }
  managed.emulated().set_filter({});
}

}  // namespace
}  // namespace weft
