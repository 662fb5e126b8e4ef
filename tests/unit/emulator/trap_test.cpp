// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traps: their causes, their repetition, and the end of the repetition.
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Traps : public Routed {
 protected:
  static Smp repress(const Smp& trap) {
    Smp answer = trap;
    answer.method = Method::kTrapRepress;
    answer.slid = trap.dlid;
    answer.dlid = trap.slid;
    return answer;
  }
  /// Traps with this number received since the last call.
  std::vector<Smp> traps(TrapNumber number) {
    std::vector<Smp> found;
    for (const Smp& smp : sm.take_unsolicited())
      if (smp.method == Method::kTrap && decode_notice(smp.data)->is(number)) found.push_back(smp);
    return found;
  }
};

TEST_F(Traps, LinkDownIsReportedByBothSwitches) {
  emulated.cut_cable(port(kS0, 3));
  emulated.run_for(milliseconds(10));
  const auto received = traps(TrapNumber::kLinkStateChange);
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].slid, Lid(1));
  EXPECT_EQ(received[1].slid, Lid(2));
  EXPECT_EQ(received[0].dlid, Lid(3));
  EXPECT_EQ(received[0].attribute, AttributeId::kNotice);
  const auto notice = decode_notice(received[1].data);
  EXPECT_EQ(notice->type, NoticeType::kUrgent);
  EXPECT_EQ(notice->producer, static_cast<std::uint32_t>(Producer::kSwitch));
  EXPECT_EQ(notice->issuer_lid, Lid(2));
  EXPECT_EQ(decode_trap_link_state(notice->details).lid, Lid(2));
}

TEST_F(Traps, AreForwardedByTheTables) {
  emulated.cut_cable(port(kS0, 2));  // on the path from S1 to the SM
  emulated.run_for(milliseconds(10));
  const auto received = traps(TrapNumber::kLinkStateChange);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].slid, Lid(1));
}

TEST_F(Traps, AreRepeatedUpToTheLimit) {
  emulated.cut_cable(port(kS0, 2));
  emulated.run_for(milliseconds(10));
  EXPECT_EQ(traps(TrapNumber::kLinkStateChange).size(), 1u);
  emulated.run_for(seconds(3));
  EXPECT_EQ(traps(TrapNumber::kLinkStateChange).size(), 3u);
  emulated.run_for(seconds(100));
  EXPECT_EQ(traps(TrapNumber::kLinkStateChange).size(), 7u);
  EXPECT_EQ(emulated.pending_events(), 0u);
}

TEST_F(Traps, AreNotRepeatedAfterARepress) {
  emulated.cut_cable(port(kS0, 3));
  emulated.run_for(milliseconds(10));
  for (const Smp& trap : traps(TrapNumber::kLinkStateChange))
    ASSERT_TRUE(sm.transport().send(repress(trap)));
  emulated.run_for(seconds(100));
  EXPECT_TRUE(traps(TrapNumber::kLinkStateChange).empty());
  EXPECT_EQ(emulated.pending_events(), 0u);
}

TEST_F(Traps, RepressOfAnOlderTrapDoesNotSuppressANewerTrap) {
  emulated.cut_cable(port(kS0, 3));
  emulated.run_for(milliseconds(10));
  const auto old = traps(TrapNumber::kLinkStateChange);
  ASSERT_EQ(old.size(), 2u);
  emulated.restore_cable(port(kS0, 3));
  emulated.run_for(milliseconds(20));  // the link is up; the next trap is not yet due
  EXPECT_TRUE(traps(TrapNumber::kLinkStateChange).empty());
  for (const Smp& trap : old) ASSERT_TRUE(sm.transport().send(repress(trap)));
  emulated.run_for(seconds(1));
  const auto newer = traps(TrapNumber::kLinkStateChange);
  ASSERT_EQ(newer.size(), 2u);
  EXPECT_NE(newer[0].transaction_id, old[0].transaction_id);
}

TEST_F(Traps, SubnetTimeoutSetsTheIntervalOfRepetitions) {
  ASSERT_EQ(sm.change_port({1}, 0, [](PortInfo& info) { info.subnet_timeout = 19; }), 0);
  emulated.cut_cable(port(kS0, 2));
  emulated.run_for(seconds(4));  // the interval is 4.096 us * 2^19 = 2.1 s
  EXPECT_EQ(traps(TrapNumber::kLinkStateChange).size(), 2u);
}

TEST_F(Traps, NewNodeDescriptionCausesATrapAboutALocalChange) {
  emulated.set_description(node(kH1), "renamed");
  emulated.run_for(milliseconds(10));
  const auto received = traps(TrapNumber::kCapabilityChange);
  ASSERT_EQ(received.size(), 1u);
  const TrapCapability trap = decode_trap_capability(decode_notice(received[0].data)->details);
  EXPECT_EQ(trap.lid, Lid(4));
  EXPECT_TRUE(trap.other_local_changes);
  EXPECT_EQ(trap.change_flags, TrapCapability::kNodeDescription);
  const auto text = sm.get(AttributeId::kNodeDescription, 0, {1, 2, 2});
  EXPECT_EQ(decode_node_description(text->data)->text, "renamed");
}

TEST_F(Traps, NewSmCausesATrapAboutTheCapabilityMask) {
  Client other(emulated, kH1);
  emulated.run_for(milliseconds(10));
  const auto received = traps(TrapNumber::kCapabilityChange);
  ASSERT_EQ(received.size(), 1u);
  const TrapCapability trap = decode_trap_capability(decode_notice(received[0].data)->details);
  EXPECT_TRUE(trap.capability_mask & cap_mask::kIsSm);
  EXPECT_FALSE(trap.other_local_changes);
}

TEST_F(Traps, AreNotSentWithoutAnSm) {
  const Fabric other_fabric = two_switches();
  EmulatedFabric other(other_fabric);
  other.cut_cable(other_fabric.port_id(NodeId(0), PortNum(2)));
  other.run_for(seconds(10));
  EXPECT_EQ(other.counters().traps, 0u);
  EXPECT_TRUE(other.switch_info(kS0).port_state_change);
}

TEST_F(Traps, AreNotSentByASwitchedOffSwitch) {
  emulated.switch_off_node(NodeId(1));
  emulated.run_for(seconds(100));
  const auto received = traps(TrapNumber::kLinkStateChange);
  ASSERT_FALSE(received.empty()) << "S0 sends traps of the lost links";
  for (const Smp& trap : received) EXPECT_EQ(trap.slid, Lid(1));
}

}  // namespace
}  // namespace weft
