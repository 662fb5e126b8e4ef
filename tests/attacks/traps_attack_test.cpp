// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forged traps from hosts. Vulnerabilities: repeated traps were recognized by bytes that the sender
// sets, so that one host caused sweeps without a limit and filled log and disk; a forged trap 129
// disabled the port of another node; trap 128, which only switches send, was accepted from hosts;
// TrapRepress with the M_Key of the subnet was sent to any LID.
#include <functional>

#include "attacked_subnet.h"
#include "base/rng.h"
#include "support/fabric_of.h"
#include "support/log_lines.h"

namespace weft::attacks {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Limits for one minute in which one host sends 250 traps a second. Eight heavy sweeps, four times
// as many light sweeps, 600 log lines and 600 events a minute are harmless; without limits the
// flood causes thousands of each.
constexpr unsigned kTraps = 15'000;
constexpr std::uint64_t kSweepsMax = 8;
constexpr std::size_t kLinesMax = 600;
constexpr std::uint64_t kOccurrencesMax = 600;

struct Flood {
  const char* name;
  std::function<Notice(Lid own, Rng& rng)> draw;
};

void PrintTo(const Flood& flood, std::ostream* out) { *out << flood.name; }

Lid any_lid(Rng& rng) { return Lid(static_cast<std::uint16_t>(1 + rng.below(60))); }

Notice link_state(Lid own, Rng& rng) {
  NoticeDetails details = encode(TrapLinkState{own});
  for (std::size_t i = 2; i < details.size(); ++i)
    details[i] = static_cast<std::byte>(rng.below(256));
  return notice_of(TrapNumber::kLinkStateChange, NoticeType::kUrgent, details, own,
                   Producer::kSwitch);
}

Notice link_integrity(Lid own, Rng& rng) {
  NoticeDetails details = encode(TrapPortError{any_lid(rng), PortNum(1)});
  for (std::size_t i = 8; i < details.size(); ++i)
    details[i] = static_cast<std::byte>(rng.below(256));
  return notice_of(TrapNumber::kLinkIntegrity, NoticeType::kUrgent, details, own, Producer::kCa);
}

Notice changed_priority(Lid own, Rng& rng) {
  TrapCapability trap;
  trap.lid = own;
  trap.other_local_changes = true;
  trap.change_flags = TrapCapability::kSmPriority;
  trap.capability_mask = static_cast<std::uint32_t>(rng.next());
  return notice_of(TrapNumber::kCapabilityChange, NoticeType::kInformational, encode(trap), own,
                   Producer::kCa);
}

Notice changed_capabilities(Lid own, Rng& rng) {
  TrapCapability trap;
  trap.lid = any_lid(rng);
  trap.capability_mask = static_cast<std::uint32_t>(rng.next());
  trap.change_flags = static_cast<std::uint16_t>(rng.next());
  trap.other_local_changes = rng.chance(0.5);
  return notice_of(TrapNumber::kCapabilityChange, NoticeType::kInformational, encode(trap), own,
                   Producer::kCa);
}

Notice bad_mkey(Lid own, Rng& rng) {
  TrapBadMkey trap;
  trap.lid = own;
  trap.modifier = static_cast<std::uint32_t>(rng.next());
  trap.mkey = Mkey(rng.next());
  return notice_of(TrapNumber::kBadMkey, NoticeType::kSecurity, encode(trap), own, Producer::kCa);
}

Notice any_notice(Lid own, Rng& rng) {
  Notice notice;
  notice.generic = rng.chance(0.7);
  notice.type = static_cast<NoticeType>(rng.below(128));
  notice.producer = static_cast<std::uint32_t>(rng.below(8));
  notice.trap = static_cast<std::uint16_t>(rng.chance(0.5) ? 64 + rng.below(200) : rng.next());
  notice.issuer_lid = rng.chance(0.5) ? own : any_lid(rng);
  for (std::byte& byte : notice.details) byte = static_cast<std::byte>(rng.below(256));
  return notice;
}

class TrapFlood : public ::testing::TestWithParam<Flood> {};

TEST_P(TrapFlood, WithDifferentDetailsCausesFewSweepsAndLogLines) {
  AttackedSubnet subnet(fabric_of("fattree2:k=4"));
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 5), ordinary(subnet, 2);
  Rng rng(11);
  const auto sweeps = subnet.sm().heavy_sweeps();
  const auto lights = subnet.sm().light_sweeps();
  const auto occurrences = subnet.occurrences();
  LogLines log;
  for (unsigned sent = 0; sent < kTraps;) {
    for (int i = 0; i < 25; ++i, ++sent) attacker.trap(GetParam().draw(attacker.lid(), rng));
    subnet.run_for(milliseconds(100));
    attacker.drain();
  }
  EXPECT_LE(subnet.sm().heavy_sweeps() - sweeps, kSweepsMax);
  EXPECT_LE(subnet.sm().light_sweeps() - lights, 4 * kSweepsMax);
  EXPECT_LE(log.count(""), kLinesMax) << "lines in the log";
  EXPECT_LE(subnet.occurrences() - occurrences, kOccurrencesMax)
      << "events for the event log and the history";
  EXPECT_EQ(subnet.sm().state(), SmState::kMaster);
  EXPECT_TRUE(ordinary.gets_path(3));
}

INSTANTIATE_TEST_SUITE_P(Attack, TrapFlood,
                         ::testing::Values(Flood{"LinkState", link_state},
                                           Flood{"LinkIntegrity", link_integrity},
                                           Flood{"Priority", changed_priority},
                                           Flood{"Capabilities", changed_capabilities},
                                           Flood{"BadMkey", bad_mkey}, Flood{"Any", any_notice}),
                         [](const auto& flood) { return std::string(flood.param.name); });

TEST(TrapAttack, LinkStateTrapFromAHostCausesNoHeavySweep) {
  AttackedSubnet subnet(fabric_of("fattree2:k=4"));
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 5);
  const auto sweeps = subnet.sm().heavy_sweeps();
  for (const Producer producer : {Producer::kSwitch, Producer::kCa}) {
    const Lid of_switch =
        subnet.emulated().port_info(subnet.fabric().endport(EndportId(1)).port).lid;
    for (const Lid about : {attacker.lid(), of_switch})
      attacker.trap(notice_of(TrapNumber::kLinkStateChange, NoticeType::kUrgent,
                              encode(TrapLinkState{about}), about, producer));
    subnet.run_for(seconds(2));
  }
  EXPECT_EQ(subnet.sm().heavy_sweeps(), sweeps);
}

TEST(TrapAttack, ForgedErrorTrapsDisableNoPortOfAnotherNode) {
  SmOptions options;
  options.babbling_port_policy = true;
  AttackedSubnet subnet(fabric_of("fattree2:k=4"), options);
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 5);
  const Fabric& fabric = subnet.fabric();
  std::vector<PortId> victims{subnet.port(1), subnet.port(3)};
  const SwitchId leaf = fabric.endport(subnet.endport(1)).sw;
  for (const Channel& channel : fabric.channels_from(leaf))
    victims.push_back(fabric.port_id(Fabric::node_of(leaf), channel.from_port));
  std::size_t connected = 0;
  for (const PortId victim : victims) {
    const Port& port = fabric.port(victim);
    if (port.peer == kNoPort || !subnet.emulated().carries_data(victim)) continue;
    ++connected;
    const NodeId node = port.node;
    const PortId agent = fabric.is_switch(node) ? fabric.port_id(node, PortNum(0)) : victim;
    const Lid about = subnet.emulated().port_info(agent).lid;
    for (int i = 0; i < 600; ++i) {
      attacker.trap(notice_of(TrapNumber::kLinkIntegrity, NoticeType::kUrgent,
                              encode(TrapPortError{about, port.num}), about, Producer::kSwitch));
      if (i % 10 == 0) subnet.run_for(milliseconds(5));
    }
    subnet.run_for(seconds(1));
    EXPECT_TRUE(subnet.emulated().carries_data(victim)) << describe(fabric, victim);
  }
  EXPECT_GT(connected, 3u);
}

TEST(TrapAttack, RoutesAvoidACutCableDuringAFlood) {
  AttackedSubnet subnet(fabric_of("fattree2:k=4"));
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 5), ordinary(subnet, 2);
  Rng rng(3);
  const auto flood_until = [&](const std::function<bool()>& done) {
    const TimeNs begin = subnet.emulated().clock().now();
    while (!done() && subnet.emulated().clock().now() - begin < seconds(60)) {
      for (int i = 0; i < 5; ++i) attacker.trap(link_state(attacker.lid(), rng));
      subnet.run_for(milliseconds(20));
      attacker.drain();
    }
    return subnet.emulated().clock().now() - begin;
  };
  flood_until([&, end = subnet.emulated().clock().now() + seconds(10)] {
    return subnet.emulated().clock().now() >= end;
  });
  const Fabric& fabric = subnet.fabric();
  const SwitchId leaf = fabric.endport(subnet.endport(2)).sw;
  const PortId cable =
      fabric.port_id(Fabric::node_of(leaf), fabric.channels_from(leaf).front().from_port);
  subnet.emulated().cut_cable(cable);
  const auto before = subnet.sm().snapshot();
  const TimeNs elapsed = flood_until([&] {
    const auto now = subnet.sm().snapshot();
    return now != before && now->verdict.ok() &&
           now->fabric.channel_count() < before->fabric.channel_count();
  });
  EXPECT_LT(elapsed, seconds(10)) << "virtual time until routes without the cable are active";
  EXPECT_TRUE(ordinary.gets_path(7));
}

TEST(TrapAttack, SendsNoTrapRepressToAnUnknownLid) {
  SmOptions options;
  options.m_key = Mkey(0x1122334455667788);
  options.m_key_protection_level = 1;
  AttackedSubnet subnet(fabric_of("fattree2:k=4"), options);
  ASSERT_TRUE(subnet.start());
  const Lid unknown(0x2345);
  Smp trap;
  trap.mgmt_class = MgmtClass::kSmpLidRouted;
  trap.method = Method::kTrap;
  trap.attribute = AttributeId::kNotice;
  trap.slid = unknown;
  trap.dlid = subnet.lid(0);
  trap.data =
      encode(notice_of(TrapNumber::kBadMkey, NoticeType::kSecurity, {}, unknown, Producer::kCa));
  subnet.wire().inject(trap);
  subnet.run_for(seconds(1));
  for (const Smp& repress : subnet.wire().represses()) EXPECT_NE(repress.dlid, unknown);
}

}  // namespace
}  // namespace weft::attacks
