// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two and three managers on one fabric: election, handover, priorities, and takeover after a
// failure without changes of the fabric.
#include <gmock/gmock.h>

#include "sm/discovery/directed.h"
#include "sm/lids/guid2lid.h"
#include "support/fabric_state.h"
#include "support/log_lines.h"
#include "support/managers.h"

namespace weft {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct SeveralManagers : testing::Test {
  Managers managers{fabric_of("fattree2:k=4")};
};

TEST_F(SeveralManagers, HigherPriorityBecomesMasterInAnyStartOrder) {
  for (const bool low_first : {true, false}) {
    Managers pair(fabric_of("fattree2:k=4"));
    const std::size_t first = pair.start(0, low_first ? 1 : 8);
    const std::size_t second = pair.start(5, low_first ? 8 : 1);
    const std::size_t best = low_first ? second : first;
    ASSERT_TRUE(pair.run_until_only_master(best)) << low_first;
    EXPECT_EQ(pair.state(low_first ? first : second), SmState::kStandby);
    EXPECT_TRUE(pair.all_ports_have_master(best));
    EXPECT_EQ(pair.sm(low_first ? first : second).snapshot(), nullptr);
  }
}

TEST_F(SeveralManagers, LowerGuidBecomesMasterAtEqualPriority) {
  const std::size_t high = managers.start(6, 3);
  const std::size_t low = managers.start(1, 3);
  ASSERT_LT(managers.guid_of(low), managers.guid_of(high));
  ASSERT_TRUE(managers.run_until_only_master(low));
  EXPECT_EQ(managers.state(high), SmState::kStandby);
}

TEST_F(SeveralManagers, AStandbySetsNothing) {
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const FabricState before = state_of(managers.emulated());
  managers.run_for(seconds(5));
  managers.emulated().reset_counters();
  const std::size_t other = managers.start(5, 2);
  managers.run_for(seconds(10));
  EXPECT_EQ(managers.state(other), SmState::kStandby);
  EXPECT_EQ(managers.state(master), SmState::kMaster);
  EXPECT_EQ(managers.sets(), 0u);
  // The only change is IsSM of the new manager's port.
  auto after = state_of(managers.emulated());
  after.ports[managers.port_of(other).value()] = before.ports[managers.port_of(other).value()];
  EXPECT_THAT(changes(managers.fabric(), before, after), testing::IsEmpty());
}

/// PortStateChange that the master has not read yet stays set, regardless of which manager
/// discovers the fabric.
TEST_F(SeveralManagers, DiscoveryAsStandbyKeepsPortStateChange) {
  SmOptions slow = managers.options(5);
  slow.sweep_interval = seconds(0);
  slow.sweep_on_trap = false;
  const std::size_t master = managers.start(0, slow);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const PortId host =
      managers.fabric().endport(EndportId(managers.fabric().switch_count() + 3)).port;
  managers.emulated().cut_cable(host);
  managers.run_for(milliseconds(100));
  const auto marked = [&] {
    unsigned count = 0;
    for (std::uint32_t s = 0; s < managers.fabric().switch_count(); ++s)
      count += managers.emulated().switch_info(SwitchId(s)).port_state_change;
    return count;
  };
  ASSERT_EQ(marked(), 1u);
  const std::size_t other = managers.start(5, 2);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(other) == SmState::kStandby; }));
  EXPECT_EQ(marked(), 1u);
}

/// PortStateChange at the first start is cleared only by a master, and a change between discovery
/// and clearing is detected.
TEST_F(SeveralManagers, NewMasterClearsPortStateChangeAndChecksAgain) {
  EmulatedFabric& emulated = managers.emulated();
  const Fabric& fabric = managers.fabric();
  const EndportId changed_endport(fabric.switch_count() + 3);
  const PortId host = fabric.endport(changed_endport).port;
  emulated.cut_cable(host);
  emulated.run_for(milliseconds(50));
  emulated.restore_cable(host);
  emulated.run_for(milliseconds(50));
  bool cut = false;
  emulated.set_filter([&](const Smp& smp, NodeId, NodeId) {
    if (!cut && smp.method == Method::kSet && smp.attribute == AttributeId::kSwitchInfo) {
      cut = true;
      emulated.schedule(emulated.clock().now(), [&](EmulatedFabric& f) { f.cut_cable(host); });
    }
    return EmulatedFabric::Delivery::kPass;
  });
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  EXPECT_TRUE(cut);
  EXPECT_EQ(managers.sm(master).last_report().restarts, 1u);
  EXPECT_EQ(managers.sm(master).snapshot()->fabric.ca_count(), fabric.ca_count() - 1);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    EXPECT_FALSE(emulated.switch_info(SwitchId(s)).port_state_change);
}

TEST_F(SeveralManagers, StandbyTakesOverWithoutChangingTheFabric) {
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const std::size_t standby = managers.start(5, 2);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  const auto lids = managers.emulated().lids();
  managers.run_for(seconds(3));
  managers.emulated().reset_counters();
  const TimeNs killed_at = managers.emulated().clock().now();
  managers.kill(master);
  ASSERT_TRUE(managers.run_until_only_master(standby));
  // The takeover needs three polls, one each second. The first poll is sent after at most 1 s.
  const TimeNs takeover_time = managers.emulated().clock().now() - killed_at;
  EXPECT_GE(takeover_time, seconds(2));
  EXPECT_LE(takeover_time, seconds(9));
  EXPECT_EQ(managers.emulated().lids(), lids);
  EXPECT_EQ(managers.lft_blocks_written(), 0u);
  EXPECT_TRUE(managers.all_ports_have_master(standby));
  // Clients of the previous master get ClientReregister.
  unsigned reregistered = 0;
  for (const Endport& endport : managers.fabric().endports())
    reregistered += managers.emulated().reregistrations(endport.port) >= 2;
  EXPECT_EQ(reregistered, managers.fabric().ca_count());
}

/// With replication the standby has the registrations of the previous master.
TEST_F(SeveralManagers, PortsWithReplicatedRegistrationsGetNoReregistration) {
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const std::size_t standby = managers.start(5, 2);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  ASSERT_TRUE(managers.sm(standby).polled_manager());
  EXPECT_EQ(managers.sm(standby).polled_manager()->guid, managers.guid_of(master));
  auto ports = managers.sm(master).registered_ports();
  ASSERT_EQ(ports.size(), managers.fabric().ca_count());
  const Endport& lost = managers.fabric().endport(EndportId(managers.fabric().switch_count() + 3));
  const Guid lost_guid = managers.fabric().port(lost.port).guid;
  std::erase_if(ports, [&](const auto& port) { return port.port == lost_guid; });
  std::vector<unsigned> before;
  for (const Endport& endport : managers.fabric().endports())
    before.push_back(managers.emulated().reregistrations(endport.port));
  managers.sm(standby).inherit_registrations(ports);
  managers.kill(master);
  ASSERT_TRUE(managers.run_until_only_master(standby));
  managers.run_for(seconds(10));
  std::size_t at = 0;
  for (const Endport& endport : managers.fabric().endports()) {
    const bool is_reregistered = managers.fabric().port(endport.port).guid == lost_guid;
    EXPECT_EQ(managers.emulated().reregistrations(endport.port), before[at++] + is_reregistered);
  }
  EXPECT_EQ(managers.sm(standby).registered_ports().size(), managers.fabric().ca_count());
}

TEST_F(SeveralManagers, HandsOverByRequestAndStaysStandby) {
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const std::size_t standby = managers.start(5, 1);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  managers.sm(standby).hand_over();  // has no effect on a standby
  const auto lids = managers.emulated().lids();
  managers.sm(master).hand_over();
  ASSERT_TRUE(managers.run_until_only_master(standby));
  managers.run_for(seconds(60));
  EXPECT_EQ(managers.state(standby), SmState::kMaster);
  EXPECT_EQ(managers.state(master), SmState::kStandby);
  EXPECT_EQ(managers.emulated().lids(), lids);
  managers.sm(master).set_priority(5);  // cancels the handover, although the priority is unchanged
  ASSERT_TRUE(managers.run_until_only_master(master));
  managers.run_for(seconds(30));
  managers.sm(master).hand_over();
  ASSERT_TRUE(managers.run_until_only_master(standby));
  managers.kill(standby);
  ASSERT_TRUE(managers.run_until_only_master(master));
}

TEST_F(SeveralManagers, HandsOverByRequestDespiteMasterSmPriority) {
  SmOptions options = managers.options(3);
  options.master_sm_priority = 14;
  const std::size_t master = managers.start(0, options);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const std::size_t standby = managers.start(5, 1);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  managers.sm(master).hand_over();
  ASSERT_TRUE(managers.run_until_only_master(standby));
  managers.run_for(seconds(60));
  EXPECT_EQ(managers.state(standby), SmState::kMaster);
}

TEST_F(SeveralManagers, HandsOverToAHigherStandbyOnlyIfTheCheckPermits) {
  const std::size_t master = managers.start(0, 3);
  ASSERT_TRUE(managers.run_until_only_master(master));
  bool may_succeed = false;
  std::vector<Guid> checked;
  managers.sm(master).set_successor_check([&](Guid standby) {
    checked.push_back(standby);
    return may_succeed;
  });
  const std::size_t standby = managers.start(5, 8);
  managers.run_for(seconds(60));
  EXPECT_EQ(managers.state(master), SmState::kMaster);
  EXPECT_EQ(managers.state(standby), SmState::kStandby);
  ASSERT_FALSE(checked.empty());
  EXPECT_EQ(checked.back(), managers.guid_of(standby));
  may_succeed = true;
  EXPECT_TRUE(managers.run_until_only_master(standby));
}

/// The port of the other manager sends no trap when IsSM changes, and no light sweep is due.
TEST_F(SeveralManagers, AManagerIsQueriedByRequest) {
  SmOptions rare = managers.options(5);
  rare.sweep_interval = seconds(100'000);
  const std::size_t master = managers.start(0, rare);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const EndportId other_endport(managers.fabric().switch_count() + 5);
  managers.emulated().set_behavior(managers.fabric().endport(other_endport).node,
                                   {.no_change_traps = true});
  const std::size_t standby = managers.start(5, 1);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  managers.run_for(seconds(60));
  EXPECT_TRUE(managers.sm(master).others().empty());
  managers.sm(master).query_manager(managers.guid_of(standby));
  managers.run_for(seconds(1));
  ASSERT_EQ(managers.sm(master).others().size(), 1u);
  EXPECT_EQ(managers.sm(master).others()[0].info.state, SmState::kStandby);
  EXPECT_FALSE(managers.sm(master).others()[0].silent);
  managers.kill(standby);
  managers.run_for(seconds(60));
  EXPECT_FALSE(managers.sm(master).others()[0].silent);
  managers.sm(master).query_manager(managers.guid_of(standby));
  managers.run_for(seconds(5));
  EXPECT_TRUE(managers.sm(master).others()[0].silent);
  managers.sm(master).query_manager(Guid(0x77));  // not in the fabric
  managers.run_for(seconds(5));
  EXPECT_EQ(managers.sm(master).others().size(), 1u);
}

TEST_F(SeveralManagers, MakesNoHandoverToAManagerThatWouldReturnTheMastership) {
  LogLines log;
  const std::size_t master = managers.start(0, 5);  // has the lowest GUID
  ASSERT_TRUE(managers.run_until_only_master(master));
  const std::size_t standby = managers.start(5, 0);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  managers.run_for(seconds(5));
  managers.sm(master).hand_over();
  managers.run_for(seconds(30));
  EXPECT_EQ(managers.state(master), SmState::kMaster);
  EXPECT_EQ(managers.state(standby), SmState::kStandby);
  EXPECT_EQ(log.count("no handover to"), 1u);
}

/// A manager needs the LIDs to detect later which ports were absent or reset while another manager
/// was master.
TEST_F(SeveralManagers, NewMasterSavesAdoptedLids) {
  const std::size_t master = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const SmOptions options = managers.options(2);
  const std::size_t standby = managers.start(5, options);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(standby) == SmState::kStandby; }));
  managers.kill(master);
  ASSERT_TRUE(managers.run_until_only_master(standby));
  std::vector<std::string> warnings;
  const auto kept = read_guid2lid(options.cache_dir + "/guid2lid", warnings);
  ASSERT_TRUE(kept.has_value()) << kept.error().message;
  EXPECT_EQ(kept->size(), managers.fabric().endport_count());
  for (const Endport& endport : managers.fabric().endports())
    EXPECT_EQ(kept->at(managers.fabric().port(endport.port).guid).base,
              managers.emulated().port_info(endport.port).lid);
}

TEST_F(SeveralManagers, RestartedMasterBecomesMasterAgain) {
  const std::size_t first = managers.start(0, 5);
  const std::size_t standby = managers.start(5, 2);
  ASSERT_TRUE(managers.run_until_only_master(first));
  managers.kill(first);
  ASSERT_TRUE(managers.run_until_only_master(standby));
  const auto lids = managers.emulated().lids();
  managers.emulated().reset_counters();
  const std::size_t again = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(again));  // the standby sends a HANDOVER
  EXPECT_EQ(managers.state(standby), SmState::kStandby);
  EXPECT_EQ(managers.emulated().lids(), lids);
  EXPECT_EQ(managers.lft_blocks_written(), 0u);
  EXPECT_TRUE(managers.all_ports_have_master(again));
}

TEST_F(SeveralManagers, TheHighestStandbyOfThreeTakesOverEachTime) {
  const std::size_t a = managers.start(0, 9);
  const std::size_t b = managers.start(3, 6);
  const std::size_t c = managers.start(6, 3);
  ASSERT_TRUE(managers.run_until_only_master(a));
  EXPECT_EQ(managers.state(b), SmState::kStandby);
  EXPECT_EQ(managers.state(c), SmState::kStandby);
  managers.run_for(seconds(4));
  const auto lids = managers.emulated().lids();
  managers.emulated().reset_counters();
  managers.kill(a);
  ASSERT_TRUE(managers.run_until_only_master(b));
  managers.run_for(seconds(10));
  EXPECT_EQ(managers.state(c), SmState::kStandby);
  managers.kill(b);
  ASSERT_TRUE(managers.run_until_only_master(c));
  EXPECT_EQ(managers.lft_blocks_written(), 0u);
  EXPECT_EQ(managers.emulated().lids(), lids);
}

TEST_F(SeveralManagers, ChangedPrioritiesMoveTheMastership) {
  const std::size_t a = managers.start(0, 5);
  const std::size_t b = managers.start(5, 4);
  ASSERT_TRUE(managers.run_until_only_master(a));
  managers.run_for(seconds(5));
  managers.emulated().reset_counters();
  managers.prioritize(a, 3);
  ASSERT_TRUE(managers.run_until_only_master(b));
  EXPECT_TRUE(managers.all_ports_have_master(b));
  managers.prioritize(a, 6);  // a standby of higher priority than the master sends trap 144
  ASSERT_TRUE(managers.run_until_only_master(a, seconds(5)));
  managers.prioritize(a, 4);
  ASSERT_TRUE(managers.run_until_only_master(a));  // with equal priorities, the lower GUID decides
  EXPECT_EQ(managers.lft_blocks_written(), 0u);
}

/// The priority of a standby is between sm_priority and master_sm_priority of the master.
TEST_F(SeveralManagers, MasterSmPriorityKeepsTheMastership) {
  SmOptions first = managers.options(3);
  first.master_sm_priority = 14;
  const std::size_t a = managers.start(0, first);
  ASSERT_TRUE(managers.run_until_only_master(a));
  EXPECT_EQ(managers.sm(a).priority(), 3);
  SmOptions second = managers.options(10);
  second.master_sm_priority = 2;  // lower than sm_priority, and therefore not used
  const std::size_t b = managers.start(5, second);
  managers.run_for(seconds(20));
  EXPECT_EQ(managers.state(a), SmState::kMaster);
  EXPECT_EQ(managers.state(b), SmState::kStandby);
  managers.prioritize(b, 15);
  ASSERT_TRUE(managers.run_until_only_master(b, seconds(20)));
  EXPECT_EQ(managers.state(a), SmState::kStandby);
  managers.prioritize(b, 2);  // the other manager, as a standby, has priority 3
  ASSERT_TRUE(managers.run_until_only_master(a, seconds(20)));
}

/// The console sets the priority, without new options.
TEST_F(SeveralManagers, ASetPriorityMovesTheMastership) {
  const std::size_t a = managers.start(0, 5);
  const std::size_t b = managers.start(5, 4);
  ASSERT_TRUE(managers.run_until_only_master(a));
  ASSERT_TRUE(managers.run_until([&] { return managers.state(b) == SmState::kStandby; }));
  LogLines log;
  managers.sm(a).set_priority(3);
  ASSERT_TRUE(managers.run_until_only_master(b, seconds(5)));
  EXPECT_EQ(log.count("Heavy sweep: own priority changed"), 1u);
  managers.sm(a).set_priority(6);
  EXPECT_TRUE(managers.run_until_only_master(a, seconds(5)));
}

TEST_F(SeveralManagers, AMasterSendsNoTrapToItsPredecessor) {
  const std::size_t a = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(a));
  const std::size_t b = managers.start(5, 4);
  ASSERT_TRUE(managers.run_until([&] { return managers.state(b) == SmState::kStandby; }));
  managers.kill(a);
  ASSERT_TRUE(managers.run_until_only_master(b));
  unsigned traps = 0;
  const NodeId own = managers.fabric().port(managers.port_of(b)).node;
  managers.emulated().set_filter([&](const Smp& smp, NodeId from, NodeId) {
    traps += smp.method == Method::kTrap && from == own;
    return EmulatedFabric::Delivery::kPass;
  });
  managers.sm(b).set_priority(9);
  managers.run_for(seconds(2));
  EXPECT_EQ(traps, 0u);
  managers.emulated().set_filter({});
}

TEST_F(SeveralManagers, AManagerWithIgnoreOtherSmBecomesMasterAtOnce) {
  const std::size_t a = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(a));
  SmOptions alone = managers.options(0);
  alone.ignore_other_sm = true;
  const std::size_t b = managers.start(5, alone);
  ASSERT_TRUE(managers.run_until([&] { return managers.sm(b).snapshot() != nullptr; }));
  EXPECT_EQ(managers.state(b), SmState::kMaster);
}

TEST_F(SeveralManagers, LowerMasterIsNotifiedOfAnUndiscoveredMaster) {
  SmOptions alone = managers.options(5);
  alone.ignore_other_sm = true;
  const std::size_t lower = managers.start(5, alone), higher = managers.start(0, alone);
  ASSERT_TRUE(managers.run_until([&] {
    return managers.sm(lower).snapshot() && managers.sm(higher).snapshot() &&
           managers.sm(lower).settled() && managers.sm(higher).settled();
  }));
  for (const std::size_t each : {lower, higher}) {
    SmOptions options = managers.options(5);
    options.cache_dir.clear();
    managers.sm(each).set_options(options);
  }
  managers.sm(higher).request_heavy_sweep("test");
  EXPECT_TRUE(managers.run_until_only_master(higher));
  EXPECT_EQ(managers.state(lower), SmState::kStandby);
  EXPECT_TRUE(managers.all_ports_have_master(higher));
}

/// Only the master of higher priority detects that its link is up again, since this master clears
/// PortStateChange. The trap 144 of this master has a source LID that the other master has not
/// assigned.
TEST_F(SeveralManagers, LowerMasterIsNotifiedByAMasterThatWasCutOff) {
  EmulatedFabric& emulated = managers.emulated();
  const std::size_t higher = managers.start(0, 9);
  ASSERT_TRUE(managers.run_until_only_master(higher));
  emulated.cut_cable(managers.port_of(higher));
  SmOptions options = managers.options(2);
  options.sweep_interval = std::chrono::hours(1);
  const std::size_t lower = managers.start(5, options);
  ASSERT_TRUE(managers.run_until(
      [&] { return managers.state(lower) == SmState::kMaster && managers.sm(lower).settled(); }));
  emulated.set_filter([&](const Smp& smp, NodeId from, NodeId) {
    return smp.method == Method::kTrap && managers.fabric().is_switch(from)
               ? EmulatedFabric::Delivery::kLose
               : EmulatedFabric::Delivery::kPass;
  });
  emulated.restore_cable(managers.port_of(higher));
  managers.sm(higher).request_heavy_sweep("test");
  EXPECT_TRUE(managers.run_until_only_master(higher));
  EXPECT_EQ(managers.state(lower), SmState::kStandby);
  EXPECT_TRUE(managers.all_ports_have_master(higher));
}

TEST_F(SeveralManagers, StaysDiscoveringWhileTheMasterHasAnotherSmKey) {
  const std::size_t a = managers.start(0, 5);
  ASSERT_TRUE(managers.run_until_only_master(a));
  SmOptions other_key = managers.options(9);
  other_key.sm_key = 77;
  const std::size_t b = managers.start(5, other_key);
  managers.run_for(seconds(20));
  EXPECT_EQ(managers.state(a), SmState::kMaster);
  EXPECT_EQ(managers.state(b), SmState::kDiscovering);
  EXPECT_THAT(managers.sm(b).last_report().error, testing::HasSubstr("another SM_Key"));
  EXPECT_TRUE(managers.all_ports_have_master(a));
  managers.kill(a);
  EXPECT_TRUE(managers.run_until_only_master(b));
}

TEST_F(SeveralManagers, AnswersEarlySmInfoRequestsOnceOwnPortIsKnown) {
  const Fabric& fabric = managers.fabric();
  const EndportId requester(fabric.switch_count() + 1);
  SmpTransport& wire = managers.emulated().attach(requester, false);
  managers.start(0, 1);
  const Endport& manager_endport = fabric.endport(EndportId(fabric.switch_count()));
  ASSERT_EQ(manager_endport.sw, fabric.endport(requester).sw);
  const DirectedPath path = longer(longer({}, PortNum(1)), manager_endport.sw_port);
  ASSERT_TRUE(wire.send(directed_request(Method::kGet, AttributeId::kSmInfo, 0, path)));
  managers.emulated().run_for(milliseconds(1));  // the request waits in the queue
  ASSERT_FALSE(wire.receive().has_value());
  managers.run_for(seconds(1));
  std::optional<Smp> answer = wire.receive();
  while (answer && answer->method != Method::kGetResp) answer = wire.receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, mad_status::kGood);
  EXPECT_EQ(decode_sm_info(answer->data)->guid, managers.guid_of(0));
}

TEST_F(SeveralManagers, OneMasterRemainsAfterLostAndLateSmps) {
  const std::size_t a = managers.start(0, 5);
  const std::size_t b = managers.start(5, 4);
  managers.emulated().set_faults({.lost = 0.1, .doubled = 0.05, .late = 0.05});
  managers.run_for(seconds(60));
  managers.prioritize(a, 1);
  managers.run_for(seconds(60));
  managers.emulated().set_faults({});
  ASSERT_TRUE(managers.run_until_only_master(b, seconds(120)));
  EXPECT_TRUE(managers.all_ports_have_master(b));
}

}  // namespace
}  // namespace weft
