// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Root on a host acts as a subnet manager. Vulnerabilities: the SM_Key was sent in answer to any
// Get(SMInfo); the master sent a HANDOVER to a manager with SM_Key 0; Set(SMInfo) with a disclosed
// key set standbys to NOTACTIVE; unsolicited answers caused sweeps without a limit.
#include "attacked_subnet.h"
#include "base/rng.h"
#include "sm/discovery/directed.h"
#include "sm/traps/responder.h"
#include "support/fabric_of.h"
#include "support/managers.h"

namespace weft::attacks {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kSecret = 0x5EC2E7'0000'4711;

SmOptions with_secret_key() {
  SmOptions options;
  options.sm_key = kSecret;
  options.sm_priority = 5;
  options.sweep_interval = seconds(2);
  return options;
}

constexpr std::uint32_t modifier_of(SmCommand command) {
  return static_cast<std::uint32_t>(command);
}

TEST(ManagerAttack, SmInfoDisclosesNoKeyToAHost) {
  AttackedSubnet subnet(fabric_of("fattree2:k=4"), with_secret_key());
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 1);
  const auto by_lid = attacker.sm_info(Method::kGet, 0, {});
  ASSERT_TRUE(by_lid) << "other subnet managers need an answer to Get(SMInfo)";
  EXPECT_EQ(decode_sm_info(by_lid->data)->key, SmKey(0));
  const Endport& own_endport = subnet.fabric().endport(subnet.endport(0));
  ASSERT_EQ(own_endport.sw, subnet.fabric().endport(subnet.endport(1)).sw);
  const DirectedPath path = longer(longer({}, PortNum(1)), own_endport.sw_port);
  for (const auto& [method, command] :
       {std::pair{Method::kGet, 0u}, {Method::kSet, 3u}, {Method::kSet, 99u}}) {
    Smp request = directed_request(method, AttributeId::kSmInfo, command, path);
    request.transaction_id = 5;
    ASSERT_TRUE(attacker.smps().send(request));
    subnet.run_for(milliseconds(50));
    unsigned answers = 0;
    for (; const auto answer = attacker.smps().receive(); ++answers)
      EXPECT_EQ(decode_sm_info(answer->data)->key, SmKey(0)) << "command " << command;
    EXPECT_GT(answers, 0u) << "command " << command;
  }
  EXPECT_EQ(subnet.sm().state(), SmState::kMaster);
}

/// The manager treats an answer without a request as the answer to a late Set, and reads all tables
/// again.
TEST(ManagerAttack, UnsolicitedAnswersCauseFewSweeps) {
  AttackedSubnet subnet(fabric_of("fattree2:k=4"), with_secret_key());
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 5);
  Rng rng(7);
  const auto sweeps = subnet.sm().heavy_sweeps();
  for (int i = 0; i < 3000; ++i) {
    Smp answer;
    answer.mgmt_class = MgmtClass::kSmpLidRouted;
    answer.method = Method::kGetResp;
    answer.attribute = AttributeId::kLinearForwardingTable;
    answer.slid = attacker.lid();
    answer.dlid = subnet.lid(0);
    answer.transaction_id = rng.next();
    ASSERT_TRUE(attacker.smps().send(answer));
    // The traps cause light sweeps.
    attacker.trap(notice_of(TrapNumber::kLinkIntegrity, NoticeType::kUrgent,
                            encode(TrapPortError{attacker.lid(), PortNum(1)}), attacker.lid(),
                            Producer::kCa));
    subnet.run_for(milliseconds(20));
    attacker.drain();
  }
  // The span is 60 s; the pauses between sweeps are 2, 4, 8, 8 .. s.
  EXPECT_LE(subnet.sm().heavy_sweeps() - sweeps, 10u);
  EXPECT_GE(subnet.sm().heavy_sweeps() - sweeps, 5u)
      << "the pauses between sweeps for late Sets are limited";
  EXPECT_EQ(subnet.sm().state(), SmState::kMaster);
}

/// A host that sets IsSM and answers all SMInfo requests as a manager of the highest priority.
struct Impostor {
  Impostor(AttackedSubnet& attacked, unsigned number, SmState claimed, std::uint64_t known_key)
      : subnet(attacked), host(attacked, number, true), state(claimed), key(known_key) {}

  /// Answers SMInfo requests for this span; returns the number of HANDOVERs received.
  unsigned answer_for(TimeNs span) {
    unsigned handovers = 0;
    const TimeNs end = subnet.emulated().clock().now() + span;
    while (subnet.emulated().clock().now() < end) {
      subnet.run_for(milliseconds(2));
      while (const auto received = host.smps().receive()) {
        if (received->attribute != AttributeId::kSmInfo || is_response(received->method)) continue;
        handovers += received->method == Method::kSet &&
                     received->modifier == modifier_of(SmCommand::kHandover);
        Smp answer = answer_to(*received, Method::kGetResp);
        answer.data = encode(SmInfo{subnet.guid(host.number()), SmKey(key), ++count, 15, state});
        static_cast<void>(host.smps().send(answer));
      }
    }
    return handovers;
  }

  AttackedSubnet& subnet;
  Host host;
  SmState state;
  std::uint64_t key;
  std::uint32_t count = 0;  // number of answers
};

TEST(ManagerAttack, MasterHandsOverToNoManagerWithoutTheKey) {
  for (const SmState claimed : {SmState::kStandby, SmState::kDiscovering, SmState::kNotActive}) {
    for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1}}) {
      AttackedSubnet subnet(fabric_of("fattree2:k=4"), with_secret_key());
      ASSERT_TRUE(subnet.start());
      Impostor impostor(subnet, 5, claimed, key);
      EXPECT_EQ(impostor.answer_for(seconds(30)), 0u)
          << "state " << static_cast<int>(claimed) << ", SM_Key " << key;
      EXPECT_GT(impostor.count, 0u) << "the master queried the impostor";
      EXPECT_EQ(subnet.sm().state(), SmState::kMaster)
          << "state " << static_cast<int>(claimed) << ", SM_Key " << key;
    }
  }
}

TEST(ManagerAttack, MasterRemainsMasterBesideAMasterWithoutTheKey) {
  for (const std::uint64_t key : {std::uint64_t{0}, std::uint64_t{1}}) {
    AttackedSubnet subnet(fabric_of("fattree2:k=4"), with_secret_key());
    ASSERT_TRUE(subnet.start());
    Impostor impostor(subnet, 5, SmState::kMaster, key);
    impostor.answer_for(seconds(30));
    EXPECT_GT(impostor.count, 0u) << "the master queried the impostor";
    EXPECT_EQ(subnet.sm().state(), SmState::kMaster) << "SM_Key " << key;
    Host ordinary(subnet, 2);
    EXPECT_TRUE(ordinary.gets_path(3)) << "SM_Key " << key;
  }
}

/// The master is on host 0 and the standby on host 1; host 2 sends commands with the right SM_Key.
TEST(ManagerAttack, CommandsFromAHostWithTheSmKeyDoNotStopTheStandby) {
  Managers managers(fabric_of("fattree2:k=4"));
  const std::size_t master = managers.start(0, 9);
  const std::size_t standby = managers.start(1, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  const Fabric& fabric = managers.fabric();
  const EndportId attacker(fabric.switch_count() + 2);
  const Port& port = fabric.port(fabric.endport(attacker).port);
  SmpTransport& wire = managers.emulated().attach(attacker, false);
  const std::uint64_t learned = SmOptions{}.sm_key;
  for (const Guid claimed : {port.guid, managers.guid_of(master)}) {
    for (std::uint32_t command = 0; command <= 6; ++command) {
      Smp smp;
      smp.mgmt_class = MgmtClass::kSmpLidRouted;
      smp.method = Method::kSet;
      smp.attribute = AttributeId::kSmInfo;
      smp.modifier = command;
      smp.transaction_id = 1000 + command;
      smp.slid = managers.emulated().port_info(fabric.endport(attacker).port).lid;
      smp.dlid = managers.lid_of(standby);
      smp.data = encode(SmInfo{claimed, SmKey(learned), 1, 15, SmState::kMaster});
      ASSERT_TRUE(wire.send(smp));
      managers.run_for(seconds(1));
      EXPECT_EQ(managers.state(standby), SmState::kStandby)
          << "command " << command << " with GUID 0x" << std::hex << claimed.value();
      smp.dlid = managers.lid_of(master);
      ASSERT_TRUE(wire.send(smp));
      managers.run_for(seconds(1));
      EXPECT_EQ(managers.state(master), SmState::kMaster) << "command " << command;
    }
  }
  // After the end of the master the standby becomes master.
  managers.kill(master);
  EXPECT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kMaster; }));
}

TEST(ManagerAttack, AFloodOfSmInfoRequestsCausesNoHeavySweep) {
  AttackedSubnet subnet(fabric_of("fattree2:k=4"), with_secret_key());
  ASSERT_TRUE(subnet.start());
  Host attacker(subnet, 5), ordinary(subnet, 2);
  const auto sweeps = subnet.sm().heavy_sweeps();
  for (int round = 0; round < 50; ++round) {
    for (std::uint32_t i = 0; i < 200; ++i) {
      Smp smp;
      smp.mgmt_class = MgmtClass::kSmpLidRouted;
      smp.method = i % 2 == 0 ? Method::kGet : Method::kSet;
      smp.attribute = i % 3 == 0 ? AttributeId::kPortInfo : AttributeId::kSmInfo;
      smp.modifier = i % 7;
      smp.transaction_id = i;
      smp.slid = attacker.lid();
      smp.dlid = subnet.lid(0);
      smp.data = encode(SmInfo{Guid(i), SmKey(i), i, 15, SmState::kMaster});
      ASSERT_TRUE(attacker.smps().send(smp));
    }
    subnet.run_for(milliseconds(20));
    attacker.drain();
  }
  EXPECT_EQ(subnet.sm().heavy_sweeps(), sweeps);
  EXPECT_EQ(subnet.sm().state(), SmState::kMaster);
  EXPECT_TRUE(ordinary.gets_path(3));
}

}  // namespace
}  // namespace weft::attacks
