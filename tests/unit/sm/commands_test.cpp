// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Commands of other managers by SubnSet(SMInfo), and a HANDOVER after which the other manager does
// not become master.
#include <gtest/gtest.h>

#include "sm/discovery/directed.h"
#include "sm/lids/guid2lid.h"
#include "sm/traps/responder.h"
#include "support/log_lines.h"
#include "support/managers.h"

namespace weft {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t modifier_of(SmCommand command) {
  return static_cast<std::uint32_t>(command);
}

/// A manager on host 0. The test sends its SMPs from host 1 of the same leaf.
struct Commanded : testing::Test {
  void SetUp() override {
    const Fabric& fabric = managers.fabric();
    const EndportId own(fabric.switch_count() + 1);
    guid = fabric.port(fabric.endport(own).port).guid;
    wire = &managers.emulated().attach(own);
    const Endport& manager_endport = fabric.endport(EndportId(fabric.switch_count()));
    ASSERT_EQ(manager_endport.sw, fabric.endport(own).sw);
    path = longer(longer({}, PortNum(1)), manager_endport.sw_port);
  }
  /// Returns the status of the manager's answer: 0xFFFF if no answer arrives within 1 s.
  std::uint16_t command(std::uint32_t modifier, const SmInfo& info) {
    Smp request = directed_request(Method::kSet, AttributeId::kSmInfo, modifier, path);
    request.data = encode(info);
    EXPECT_TRUE(wire->send(request));
    for (int i = 0; i < 1000; ++i) {
      managers.run_for(milliseconds(1));
      while (const auto came = wire->receive())
        if (came->method == Method::kGetResp) return came->status;
    }
    return 0xFFFF;
  }
  SmInfo info(SmState state, std::uint64_t key = SmOptions{}.sm_key) const {
    return {guid, SmKey(key), 1, 15, state};
  }
  void answer_as(SmState state, const Smp& request) {
    Smp answer = answer_to(request, Method::kGetResp);
    answer.data = encode(info(state));
    EXPECT_TRUE(wire->send(answer));
  }
  /// Runs the managers for `span`. Answers Get(SMInfo) as a STANDBY of the highest priority, and in
  /// state `then` after a HANDOVER. Answers each HANDOVER if `acknowledges`. Returns the number of
  /// HANDOVERs.
  unsigned answer_as_standby(TimeNs span, bool acknowledges, SmState then = SmState::kStandby) {
    unsigned handovers = 0;
    const TimeNs end = managers.emulated().clock().now() + span;
    while (managers.emulated().clock().now() < end) {
      managers.run_for(milliseconds(1));
      while (const auto came = wire->receive()) {
        if (came->attribute != AttributeId::kSmInfo) continue;
        if (came->method != Method::kGet && came->method != Method::kSet) continue;
        if (came->method == Method::kSet) {
          handovers += came->modifier == modifier_of(SmCommand::kHandover);
          if (!acknowledges) continue;
        }
        answer_as(handovers > 0 ? then : SmState::kStandby, *came);
      }
    }
    return handovers;
  }

  Managers managers{fabric_of("fattree2:k=4")};
  Guid guid;
  SmpTransport* wire = nullptr;
  DirectedPath path;
};

TEST_F(Commanded, MasterRefusesInvalidCommands) {
  SmOptions options = managers.options(5);
  options.ignore_other_sm = true;  // the commanding manager does not answer
  const std::size_t master = managers.start(0, options);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const auto refused = mad_status::kInvalidField;
  EXPECT_EQ(command(modifier_of(SmCommand::kHandover), info(SmState::kMaster, 77)), refused);
  EXPECT_EQ(command(99, info(SmState::kMaster)), refused);
  EXPECT_EQ(command(modifier_of(SmCommand::kHandover), info(SmState::kStandby)), refused);
  EXPECT_EQ(command(modifier_of(SmCommand::kAcknowledge), info(SmState::kStandby)), refused);
  for (const SmCommand wrong : {SmCommand::kDisable, SmCommand::kStandby, SmCommand::kDiscover})
    EXPECT_EQ(command(modifier_of(wrong), info(SmState::kMaster)), refused) << modifier_of(wrong);
  EXPECT_EQ(managers.state(master), SmState::kMaster);
  EXPECT_TRUE(managers.all_ports_have_master(master));
}

TEST_F(Commanded, StandbyExecutesDiscoverDisableAndStandby) {
  SmOptions options = managers.options(5);
  options.polling_retry_number = 1'000'000;  // the polls of the standby get no answer
  const std::size_t standby = managers.start(0, options);
  unsigned requests = 0;
  ASSERT_TRUE(managers.run_until([&] {
    // The test answers the new manager as a master.
    while (const auto came = wire->receive()) {
      if (came->attribute != AttributeId::kSmInfo || came->method != Method::kGet) continue;
      answer_as(SmState::kMaster, *came);
      ++requests;
    }
    return managers.state(standby) == SmState::kStandby;
  }));
  EXPECT_GT(requests, 0u);
  EXPECT_EQ(command(modifier_of(SmCommand::kDisable), info(SmState::kMaster)), mad_status::kGood);
  EXPECT_EQ(managers.state(standby), SmState::kNotActive);
  EXPECT_EQ(command(modifier_of(SmCommand::kDiscover), info(SmState::kMaster)),
            mad_status::kInvalidField);
  EXPECT_EQ(command(modifier_of(SmCommand::kStandby), info(SmState::kMaster)), mad_status::kGood);
  EXPECT_EQ(managers.state(standby), SmState::kStandby);
  managers.sm(standby).set_priority(6);  // without a LID, no trap 144 is sent
  EXPECT_EQ(managers.state(standby), SmState::kStandby);
  EXPECT_EQ(command(modifier_of(SmCommand::kDiscover), info(SmState::kMaster)), mad_status::kGood);
  // In state DISCOVERING the manager gets no answer from another manager.
  EXPECT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kMaster; }));
}

TEST_F(Commanded, RepeatsTheHandoverIfTheSuccessorDoesNotBecomeMaster) {
  for (const bool acknowledges : {false, true}) {
    const std::size_t master = managers.start(0, 5);
    ASSERT_TRUE(
        managers.run_until_only_master(master));  // the other manager did not answer until now
    managers.sm(master).request_heavy_sweep("test");
    EXPECT_GE(answer_as_standby(seconds(20), acknowledges), 1u);
    EXPECT_EQ(managers.state(master), SmState::kMaster) << acknowledges;
    ASSERT_NE(managers.sm(master).snapshot(), nullptr) << acknowledges;
    EXPECT_TRUE(managers.sm(master).snapshot()->report.up) << acknowledges;
    EXPECT_TRUE(managers.all_ports_have_master(master)) << acknowledges;
    EXPECT_GE(answer_as_standby(seconds(60), acknowledges), 1u)
        << "the master must send a HANDOVER again";
    EXPECT_EQ(managers.state(master), SmState::kMaster) << acknowledges;
    managers.kill(master);
  }
}

// The LIDs that the previous master assigned to ports take precedence over guid2lid.
TEST_F(Commanded, LidsOfPortsAreKeptAfterARefusedHandoverToADiscoveringManager) {
  for (const bool hands_over : {true, false}) {
    const std::size_t previous = managers.start(0, 5);
    ASSERT_TRUE(managers.run_until_only_master(previous));
    const Lid held = managers.lid_of(previous);
    managers.kill(previous);
    const Lid filed(held.value() + 40);
    const TempDir cache;
    ASSERT_TRUE(write_guid2lid(cache / "guid2lid", {{managers.guid_of(previous), {filed, 0}}}));
    SmOptions options = managers.options(5);
    options.cache_dir = cache.path();
    const std::size_t next = managers.start(0, options);
    if (hands_over) {
      EXPECT_EQ(command(modifier_of(SmCommand::kHandover), info(SmState::kMaster)),
                mad_status::kInvalidField);
    }
    ASSERT_TRUE(managers.run_until_only_master(next));
    EXPECT_EQ(managers.lid_of(next), hands_over ? held : filed);
    managers.kill(next);
  }
}

// OpenSM 3.3 becomes master without an ACKNOWLEDGE.
TEST_F(Commanded, SuccessorInStateMasterCountsAsAcknowledged) {
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  managers.sm(master).request_heavy_sweep("test");
  const LogLines log;
  EXPECT_EQ(answer_as_standby(seconds(5), true, SmState::kMaster), 1u);
  EXPECT_EQ(managers.state(master), SmState::kStandby);
  EXPECT_EQ(log.count("handing over to"), 1u);
  EXPECT_EQ(log.count("failed"), 0u);
}

}  // namespace
}  // namespace weft
