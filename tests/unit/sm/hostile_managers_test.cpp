// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hosts that pose as subnet managers: the ports that receive the SM_Key, HANDOVER, and commands.
#include <gmock/gmock.h>

#include "base/file.h"
#include "sm/discovery/directed.h"
#include "sm/election/peers.h"
#include "sm/lids/guid2lid.h"
#include "sm/traps/responder.h"
#include "support/corrupting_wire.h"
#include "support/log_lines.h"
#include "support/managers.h"

namespace weft {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr std::uint64_t kSecretKey = 0x5EC2E7;

TEST(GuidList, IsSortedAndHasNoDuplicates) {
  EXPECT_EQ(*parse_guid_list("0x20, 0x10,0x20 3"),
            (std::vector<Guid>{Guid(3), Guid(0x10), Guid(0x20)}));
  EXPECT_TRUE(parse_guid_list("")->empty());
  for (const char* wrong : {"0x10;0x20", "host", "0x0", "0x11111111111111111", "-1"}) {
    const auto list = parse_guid_list(wrong);
    ASSERT_FALSE(list) << wrong;
    EXPECT_THAT(list.error().message, HasSubstr("expected port GUIDs"));
  }
}

/// Managers on some hosts. The test sends its SMPs from host 1, on the leaf of host 0.
struct Rogue : testing::Test {
  void attach(bool is_sm) {
    const EndportId own(managers.fabric().switch_count() + 1);
    wire = &managers.emulated().attach(own, is_sm);
  }
  Guid guid(unsigned host) const {
    const Fabric& fabric = managers.fabric();
    return fabric.port(fabric.endport(EndportId(fabric.switch_count() + host)).port).guid;
  }
  DirectedPath path_to(unsigned host) const {
    const Fabric& fabric = managers.fabric();
    const EndportId own(fabric.switch_count() + 1);
    const Endport& manager_endport = fabric.endport(EndportId(fabric.switch_count() + host));
    EXPECT_EQ(manager_endport.sw, fabric.endport(own).sw);
    return longer(longer({}, PortNum(1)), manager_endport.sw_port);
  }
  SmOptions secret(std::uint8_t priority, std::vector<unsigned> allowed = {}) {
    SmOptions options = managers.options(priority);
    options.sm_key = kSecretKey;
    for (const unsigned host : allowed) options.allowed_sm_guids.push_back(guid(host));
    std::ranges::sort(options.allowed_sm_guids);
    return options;
  }
  /// Sends a request to the manager on host 0. Until the answer arrives, responds to requests of
  /// that manager with `announced_info`. Returns the answer, or nothing if none arrives within 1 s.
  std::optional<Smp> request_answer(Smp request) {
    request.transaction_id = ++transaction;
    EXPECT_TRUE(wire->send(request));
    for (int i = 0; i < 1000; ++i) {
      managers.run_for(milliseconds(1));
      while (const auto came = wire->receive()) {
        if (came->method == Method::kGetResp && came->transaction_id == transaction) return came;
        answer(*came);
      }
    }
    return std::nullopt;
  }
  SmKey key_shown(const Smp& request) {
    const auto answer = request_answer(request);
    EXPECT_TRUE(answer.has_value());
    return answer ? decode_sm_info(answer->data)->key : SmKey(0xDEAD);
  }
  Smp get(unsigned host = 0) const {
    return directed_request(Method::kGet, AttributeId::kSmInfo, 0, path_to(host));
  }
  Smp get_by_lid(Lid to) {
    Smp request;
    request.mgmt_class = MgmtClass::kSmpLidRouted;
    request.attribute = AttributeId::kSmInfo;
    const EndportId own(managers.fabric().switch_count() + 1);
    request.slid = managers.emulated().port_info(managers.fabric().endport(own).port).lid;
    request.dlid = to;
    return request;
  }
  std::uint16_t command(SmCommand sm_command, const SmInfo& claimed) {
    Smp request = directed_request(Method::kSet, AttributeId::kSmInfo,
                                   static_cast<std::uint32_t>(sm_command), path_to(0));
    request.data = encode(claimed);
    const auto answer = request_answer(request);
    if (!answer) return 0xFFFF;
    last_key = decode_sm_info(answer->data)->key;
    return answer->status;
  }
  /// Answers Get(SMInfo) with `announced_info`, and commands with the status of success.
  void answer(const Smp& request) {
    if (request.attribute != AttributeId::kSmInfo || !announced_info) return;
    if (request.method != Method::kGet && request.method != Method::kSet) return;
    if (const auto info = decode_sm_info(request.data)) keys_received.push_back(info->key);
    handovers += request.method == Method::kSet &&
                 request.modifier == static_cast<std::uint32_t>(SmCommand::kHandover);
    Smp reply = answer_to(request, Method::kGetResp);
    reply.data = encode(*announced_info);
    EXPECT_TRUE(wire->send(reply));
  }
  void answer_during(const SmInfo& info, TimeNs span) {
    announced_info = info;
    const TimeNs end = managers.emulated().clock().now() + span;
    while (managers.emulated().clock().now() < end) {
      managers.run_for(milliseconds(2));
      while (const auto came = wire->receive()) answer(*came);
    }
  }
  SmInfo info(SmState state, std::uint64_t key, std::uint8_t priority = 15) const {
    return {guid(1), SmKey(key), 1, priority, state};
  }

  Managers managers{fabric_of("fattree2:k=4")};
  SmpTransport* wire = nullptr;
  std::uint64_t transaction = 0x100;
  std::optional<SmInfo> announced_info;
  unsigned handovers = 0;
  std::vector<SmKey> keys_received;
  SmKey last_key;
};

TEST_F(Rogue, SecretSmKeyIsSentToNoUnknownPort) {
  for (const bool is_sm : {false, true}) {
    attach(is_sm);
    announced_info = info(SmState::kStandby, 0, 1);
    const std::size_t master = managers.start(0, secret(5));
    ASSERT_TRUE(managers.run_until_only_master(master));
    EXPECT_EQ(key_shown(get()), SmKey(0)) << is_sm;
    EXPECT_EQ(key_shown(get_by_lid(managers.lid_of(master))), SmKey(0)) << is_sm;
    // Neither answers to commands nor answers to a requester in state MASTER contain the SM_Key.
    EXPECT_EQ(command(SmCommand::kDisable, info(SmState::kMaster, 0)), mad_status::kInvalidField);
    EXPECT_EQ(last_key, SmKey(0));
    Smp request = get();
    request.data = encode(info(SmState::kMaster, 0));
    EXPECT_EQ(key_shown(request), SmKey(0)) << is_sm;
    managers.kill(master);
    managers.emulated().detach(EndportId(managers.fabric().switch_count() + 1));
  }
  for (const SmKey key : keys_received) EXPECT_EQ(key, SmKey(0));
}

TEST_F(Rogue, SmKeyIsSentOnlyToAllowedPorts) {
  attach(false);
  const std::size_t master = managers.start(0, secret(5, {0, 1}));
  ASSERT_TRUE(managers.run_until_only_master(master));
  EXPECT_EQ(key_shown(get()), SmKey(kSecretKey));
  EXPECT_EQ(key_shown(get_by_lid(managers.lid_of(master))), SmKey(kSecretKey));
  SmOptions others = secret(5, {0, 2});
  others.cache_dir.clear();
  managers.sm(master).set_options(others);
  EXPECT_EQ(key_shown(get()), SmKey(0));
}

/// An OpenSM with the same SM_Key ignores a manager that does not send it.
TEST_F(Rogue, PublicSmKeyIsSentToAllPorts) {
  attach(false);
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  EXPECT_EQ(key_shown(get()), SmKey(kPublicSmKey));
}

TEST_F(Rogue, NoHandoverToAManagerWithoutAReadableKey) {
  for (const SmState state : {SmState::kStandby, SmState::kMaster}) {
    for (const std::uint64_t key : {kSecretKey, kPublicSmKey}) {
      SmOptions options = managers.options(5);
      options.sm_key = key;
      const std::size_t master = managers.start(0, options);
      ASSERT_TRUE(managers.run_until_only_master(master));
      attach(true);
      managers.sm(master).request_heavy_sweep("test");
      const LogLines log;
      answer_during(info(state, 0), seconds(3));
      const auto sweeps = managers.sm(master).heavy_sweeps();
      keys_received.clear();
      answer_during(info(state, 0), seconds(30));
      EXPECT_EQ(handovers, 0u);
      EXPECT_EQ(managers.state(master), SmState::kMaster);
      EXPECT_TRUE(managers.all_ports_have_master(master));
      EXPECT_LE(managers.sm(master).heavy_sweeps(), sweeps + 1)
          << "a manager without a readable key may cause at most one sweep";
      EXPECT_GE(log.count("sends no SM_Key: no handover"), 1u);
      EXPECT_GT(keys_received.size(), 0u);
      for (const SmKey shown : keys_received) EXPECT_EQ(shown, SmKey(0));
      managers.kill(master);
      managers.emulated().detach(EndportId(managers.fabric().switch_count() + 1));
    }
  }
}

TEST_F(Rogue, ManagerOnAPortThatIsNotAllowedIsIgnored) {
  attach(true);
  announced_info = info(SmState::kMaster, kPublicSmKey);
  SmOptions options = managers.options(5);
  options.allowed_sm_guids = {guid(0), guid(5)};
  std::ranges::sort(options.allowed_sm_guids);
  const LogLines log;
  const std::size_t master = managers.start(0, options);
  answer_during(*announced_info, seconds(20));
  EXPECT_EQ(managers.state(master), SmState::kMaster);
  EXPECT_NE(managers.sm(master).snapshot(), nullptr);
  EXPECT_EQ(handovers, 0u);
  EXPECT_GE(log.count("is not in allowed_sm_guids"), 1u);
  EXPECT_EQ(command(SmCommand::kHandover, info(SmState::kMaster, kPublicSmKey)),
            mad_status::kInvalidField);
}

TEST_F(Rogue, ManagerWithTheGuidOfAnotherPortIsIgnored) {
  attach(true);
  SmInfo claimed = info(SmState::kMaster, kPublicSmKey);
  claimed.guid = guid(4);
  const std::size_t master = managers.start(0, 5);
  answer_during(claimed, seconds(20));
  EXPECT_EQ(managers.state(master), SmState::kMaster);
  EXPECT_EQ(handovers, 0u);
}

/// The commands have the right SM_Key, which root on a host may have read from a file.
TEST_F(Rogue, StandbyExecutesOnlyCommandsOfItsMaster) {
  const std::size_t master = managers.start(5, 9), standby = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  attach(true);
  for (const SmCommand sm_command :
       {SmCommand::kHandover, SmCommand::kDisable, SmCommand::kDiscover}) {
    EXPECT_EQ(command(sm_command, info(SmState::kMaster, kPublicSmKey)), mad_status::kInvalidField);
    // The path identifies host 1 as the sender, for any GUID in the command.
    SmInfo forged = info(SmState::kMaster, kPublicSmKey);
    forged.guid = managers.guid_of(master);
    EXPECT_EQ(command(sm_command, forged), mad_status::kInvalidField);
    EXPECT_EQ(managers.state(standby), SmState::kStandby);
  }
  EXPECT_EQ(managers.state(master), SmState::kMaster);
}

TEST_F(Rogue, RefusedCommandsCauseFewLogLines) {
  attach(false);
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const LogLines log;
  for (int i = 0; i < 200; ++i) command(SmCommand::kDisable, info(SmState::kMaster, 77));
  EXPECT_LE(log.count("refused"), 20u);
}

TEST_F(Rogue, ListedManagersWithASecretKeyHandOver) {
  const std::size_t low = managers.start(0, secret(5, {0, 5}));
  ASSERT_TRUE(managers.run_until_only_master(low));
  const std::size_t high = managers.start(5, secret(9, {0, 5}));
  ASSERT_TRUE(managers.run_until_only_master(high));
  EXPECT_EQ(managers.state(low), SmState::kStandby);
  managers.kill(high);
  ASSERT_TRUE(managers.run_until_only_master(low));
}

TEST_F(Rogue, UnlistedManagersWithASecretKeyTakeOverOnlyAfterAFailure) {
  const std::size_t low = managers.start(0, secret(5));
  ASSERT_TRUE(managers.run_until_only_master(low));
  const std::size_t high = managers.start(5, secret(9));
  managers.run_for(seconds(20));
  EXPECT_EQ(managers.state(low), SmState::kMaster);
  EXPECT_EQ(managers.state(high), SmState::kStandby);
  managers.kill(low);
  ASSERT_TRUE(managers.run_until_only_master(high));
}

TEST_F(Rogue, WaitsOnlyOnceForAMasterThatSendsNoHandover) {
  const std::size_t master = managers.start(0, 9);
  ASSERT_TRUE(managers.run_until_only_master(master));
  attach(true);
  managers.sm(master).request_heavy_sweep("test");
  const SmInfo second = info(SmState::kMaster, kPublicSmKey, 2);
  const LogLines log;
  answer_during(second, seconds(15));  // polling_retry_number times sminfo_polling_timeout
  EXPECT_GE(log.count("waiting for its HANDOVER"), 1u);
  EXPECT_LE(log.count("waiting for its HANDOVER"), 3u);
  EXPECT_EQ(log.count("sends no HANDOVER: staying master"), 1u);
  EXPECT_EQ(managers.state(master), SmState::kMaster);
  const auto sweeps = managers.sm(master).heavy_sweeps();
  answer_during(second, seconds(30));
  EXPECT_EQ(managers.sm(master).heavy_sweeps(), sweeps)
      << "a master that sends no HANDOVER must cause no sweep";
  const Fabric& fabric = managers.fabric();
  const auto links = managers.sm(master).snapshot()->fabric.link_count();
  const Channel& cable = fabric.channels_from(SwitchId(0)).front();
  managers.emulated().cut_cable(fabric.port_id(Fabric::node_of(SwitchId(0)), cable.from_port));
  answer_during(second, seconds(2));
  EXPECT_EQ(managers.sm(master).snapshot()->fabric.link_count(), links - 1);
  EXPECT_EQ(log.count("sends no HANDOVER: staying master"), 1u);
  // The other manager leaves the state MASTER and returns to it: the master waits for a HANDOVER
  // again.
  answer_during(info(SmState::kStandby, kPublicSmKey, 2), seconds(5));
  answer_during(second, seconds(15));
  EXPECT_EQ(log.count("sends no HANDOVER: staying master"), 2u);
}

TEST_F(Rogue, WaitsOnlyOnceForAHandoverWithoutRetriesOfPolls) {
  SmOptions options = managers.options(9);
  options.polling_retry_number = 0;
  const std::size_t master = managers.start(0, options);
  ASSERT_TRUE(managers.run_until_only_master(master));
  attach(true);
  managers.sm(master).request_heavy_sweep("test");
  const LogLines log;
  answer_during(info(SmState::kMaster, kPublicSmKey, 2), seconds(15));
  EXPECT_EQ(log.count("waiting for its HANDOVER"), 1u);
  EXPECT_EQ(log.count("sends no HANDOVER: staying master"), 1u);
}

/// While `anonymous`, drops all answers, so that the manager does not receive its own GUID.
class AnonymousWire final : public SmpTransport {
 public:
  explicit AnonymousWire(SmpTransport& wire) : wire_(wire) {}
  Status send(const Smp& smp) override { return wire_.send(smp); }
  std::optional<Smp> receive() override {
    auto smp = wire_.receive();
    while (smp && anonymous && smp->method == Method::kGetResp) smp = wire_.receive();
    return smp;
  }
  void wait_until(TimeNs deadline) override { wire_.wait_until(deadline); }
  bool anonymous = true;

 private:
  SmpTransport& wire_;
};

TEST(EarlyRequests, AreKeptUpToALimitUntilTheOwnPortIsKnown) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  std::unique_ptr<AnonymousWire> anonymous;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    return *(anonymous = std::make_unique<AnonymousWire>(wire));
  };
  const EndportId requester(managed.fabric().switch_count() + 1);
  SmpTransport& wire = managed.emulated().attach(requester, false);
  managed.start();
  managed.run_for(milliseconds(100));
  const Endport& manager_endport = managed.fabric().endport(managed.manager_endport());
  const DirectedPath path = longer(longer({}, PortNum(1)), manager_endport.sw_port);
  for (unsigned i = 0; i < 200; ++i) {
    Smp request = directed_request(Method::kGet, AttributeId::kSmInfo, 0, path);
    request.transaction_id = i + 1;
    ASSERT_TRUE(wire.send(request));
    managed.run_for(milliseconds(5));
  }
  unsigned answers = 0;
  const auto count = [&] {
    while (const auto came = wire.receive())
      answers += came->method == Method::kGetResp && came->attribute == AttributeId::kSmInfo;
  };
  count();
  EXPECT_EQ(answers, 0u);
  anonymous->anonymous = false;
  managed.run_for(30 * kSecond);
  count();
  EXPECT_EQ(answers, 64u);
}

TEST(OwnGuid, IsReadAgainIfTheDiscoveredGuidDiffers) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  std::unique_ptr<CorruptingWire> corrupting;
  managed.between = [&](SmpTransport& wire) -> SmpTransport& {
    const Fabric& fabric = managed.fabric();
    return *(corrupting = std::make_unique<CorruptingWire>(
                 wire, fabric.port(fabric.endport(managed.manager_endport()).port).guid));
  };
  LogLines log;
  managed.start();
  ASSERT_TRUE(managed.settle());
  const Fabric& fabric = managed.fabric();
  EXPECT_EQ(managed.sm().own_guid(),
            fabric.port(fabric.endport(managed.manager_endport()).port).guid);
  EXPECT_EQ(log.count("discovering again"), 1u);
}

/// A STANDBY of higher priority than the master sends trap 144 with increasing pauses.
TEST(PriorityTraps, PausesDoubleUpToTwoMinutes) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());  // assigns LIDs
  managed.end_manager();
  const EndportId other(managed.fabric().switch_count() + 1);
  SmpTransport& wire = managed.emulated().attach(other);
  managed.options.sm_priority = 9;
  managed.options.sminfo_polling_timeout = seconds(5);
  managed.start();
  const SmInfo master{managed.fabric().port(managed.fabric().endport(other).port).guid,
                      SmKey(kPublicSmKey), 1, 5, SmState::kMaster};
  std::vector<TimeNs> hints;
  const LogLines log;
  const TimeNs end = managed.emulated().clock().now() + std::chrono::minutes(20);
  while (managed.emulated().clock().now() < end) {
    managed.run_for(milliseconds(20));
    while (const auto came = wire.receive()) {
      if (came->method == Method::kTrap) hints.push_back(managed.emulated().clock().now());
      if (came->attribute != AttributeId::kSmInfo || came->method != Method::kGet) continue;
      Smp reply = answer_to(*came, Method::kGetResp);
      reply.data = encode(master);
      ASSERT_TRUE(wire.send(reply));
    }
  }
  ASSERT_EQ(managed.sm().state(), SmState::kStandby);
  ASSERT_GE(hints.size(), 10u);
  EXPECT_EQ(log.count("trap 144 to LID"), 0u) << "log lines of traps that were not sent";
  std::vector<std::int64_t> pauses;  // in numbers of polls
  for (std::size_t i = 1; i < hints.size(); ++i)
    pauses.push_back((hints[i] - hints[i - 1] + milliseconds(2500)) / seconds(5));
  const std::vector<std::int64_t> growing(pauses.begin(), pauses.begin() + 5);
  EXPECT_EQ(growing, (std::vector<std::int64_t>{1, 2, 4, 8, 16}));
  for (std::size_t i = 5; i < pauses.size(); ++i) EXPECT_EQ(pauses[i], 24) << i;
}

/// guid2lid of the new master has other LIDs than those that ports have.
TEST(KeptPortLids, AreReplacedByTheFileIfHonorGuid2LidFileIsSet) {
  for (const bool honors : {false, true}) {
    Managers managers(fabric_of("fattree2:k=4"));
    const std::size_t master = managers.start(0, 5);
    ASSERT_TRUE(managers.run_until_only_master(master));
    SmOptions options = managers.options(2);
    options.honor_guid2lid_file = honors;
    LidMemory filed;
    std::uint16_t next = 100;
    for (const Endport& endport : managers.fabric().endports())
      filed[managers.fabric().port(endport.port).guid] = {Lid(next++), 0};
    ASSERT_TRUE(make_directory(options.cache_dir));
    ASSERT_TRUE(write_guid2lid(options.cache_dir + "/guid2lid", filed));
    const auto before = managers.emulated().lids();
    const std::size_t standby = managers.start(5, options);
    ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
    managers.kill(master);
    ASSERT_TRUE(managers.run_until_only_master(standby));
    const auto after = managers.emulated().lids();
    if (!honors) {
      EXPECT_EQ(after, before);
    }
    for (std::uint32_t e = 0; honors && e < managers.fabric().endport_count(); ++e)
      EXPECT_EQ(after[e].base, Lid(static_cast<std::uint16_t>(100 + e)));
  }
}

/// Another manager changed the manager's own port, and no trap was sent.
TEST(OwnPort, ChangeIsFoundByALightSweep) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.run_for(25 * kSecond);
  ASSERT_GE(managed.sm().light_sweeps(), 2u);
  const auto sweeps = managed.sm().heavy_sweeps();
  ASSERT_EQ(sweeps, 1u) << "an unchanged port of the manager must cause no sweep";
  const EndportId other(managed.fabric().switch_count() + 1);
  SmpTransport& wire = managed.emulated().attach(other, false);
  const Endport& manager_endport = managed.fabric().endport(managed.manager_endport());
  PortInfo info = managed.emulated().port_info(manager_endport.port);
  const Lid assigned = info.lid;
  info.lid = Lid(0x123);
  info.state = PortState::kNoChange;
  info.phys_state = PhysState::kNoChange;
  Smp request = directed_request(Method::kSet, AttributeId::kPortInfo,
                                 managed.fabric().port(manager_endport.port).num.value(),
                                 longer(longer({}, PortNum(1)), manager_endport.sw_port));
  request.data = encode(info);
  ASSERT_TRUE(wire.send(request));
  managed.run_for(milliseconds(100));
  ASSERT_EQ(managed.emulated().port_info(manager_endport.port).lid, Lid(0x123));
  managed.run_for(15 * kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps + 1);
  EXPECT_THAT(managed.report().reason, HasSubstr("port of the subnet manager changed"));
  EXPECT_EQ(managed.emulated().port_info(manager_endport.port).lid, assigned);
}

}  // namespace
}  // namespace weft
