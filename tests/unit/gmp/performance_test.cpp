// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The performance manager on an emulated fabric.
#include <filesystem>

#include "base/file.h"
#include "gmp/counter_dump.h"
#include "support/performance_subnet.h"

namespace weft {
namespace {

/// Four leaves with two hosts each, and two spines. All switches have 4 ports.
Fabric small() { return fabric_of("fattree2:k=4"); }

class Performance : public ::testing::Test {
 protected:
  /// A port of the first switch, and the port of the first host.
  PortId switch_port(unsigned num) const {
    return fixture.managed.fabric().port_id(NodeId(0), PortNum(static_cast<std::uint8_t>(num)));
  }
  PortId host_port() const {
    const Fabric& fabric = fixture.managed.fabric();
    return fabric.endport(EndportId(fabric.switch_count())).port;
  }
  mutable PerformanceSubnet fixture{small()};
};

TEST_F(Performance, ReadsEverySwitchPortAndHost) {
  fixture.device_counters(switch_port(1), Counter::kSymbolErrors) = 5;
  fixture.device_counters(switch_port(2), Counter::kXmitData) = std::uint64_t{1} << 40;
  fixture.device_counters(host_port(), Counter::kRcvPkts) = 77;
  fixture.start();
  fixture.sweep();
  const Fabric& fabric = fixture.managed.fabric();
  std::size_t ports = 0;
  for (const auto& [guid, node] : fixture.manager->store().nodes()) ports += node.ports.size();
  std::size_t wanted = fabric.ca_count();
  for (const Node& node : fabric.nodes().first(fabric.switch_count())) wanted += node.port_count;
  EXPECT_EQ(ports, wanted);
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 5u);
  EXPECT_EQ(fixture.total(switch_port(2), Counter::kXmitData), std::uint64_t{1} << 40);
  EXPECT_EQ(fixture.total(host_port(), Counter::kRcvPkts), 77u);
  EXPECT_EQ(fixture.manager->counts().silent, 0u);
}

/// An agent takes 200 us for each answer; with the limit of two requests, an SMP to the device of
/// the agent waits for at most two answers.
TEST(PerformanceOfSlowAgents, LimitsOutstandingRequestsToTwoForEachAgent) {
  for (const std::size_t most : {0u, 2u}) {
    EmulatorOptions devices;
    devices.sma_time = devices.gma_time = std::chrono::microseconds(200);
    ManagedSubnet managed(small(), devices);
    managed.start();
    ASSERT_TRUE(managed.settle());
    const Snapshot& snapshot = *managed.sm().snapshot();
    const EndportId own_endport = *managed.fabric().find_endport(
        snapshot.fabric.port(snapshot.fabric.endport(snapshot.sm).port).guid);
    GmpTransport& wire = managed.emulated().attach_gmps(own_endport, MgmtClass::kPerf);
    PerformanceOptions options;
    options.perfmgr = true;
    options.agent_queries_max = most;
    PerformanceManager manager(wire, managed.emulated().clock(), options);
    manager.publish(managed.sm().snapshot());
    std::size_t outstanding = 0;
    while (manager.counts().sweeps == 0) {
      manager.step();
      outstanding = std::max(outstanding, manager.outstanding());
      wire.wait_until(manager.next_event());
    }
    const std::size_t agents = snapshot.fabric.endports().size();
    if (most == 0)
      EXPECT_GT(outstanding, 2 * agents);
    else
      EXPECT_LE(outstanding, 2 * agents);
    EXPECT_EQ(manager.counts().silent, 0u);
    managed.emulated().detach_gmps(own_endport, MgmtClass::kPerf);
  }
}

TEST_F(Performance, AddsDifferencesThatAreNeverNegative) {
  std::uint64_t& symbol = fixture.device_counters(switch_port(1), Counter::kSymbolErrors);
  symbol = 100;
  fixture.start();
  fixture.sweep();
  symbol = 130;
  fixture.sweep();
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 130u);
  const LogLines log;
  symbol = 7;  // cleared by another tool
  fixture.sweep();
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 137u);
  EXPECT_EQ(log.count("ERR 540A: Detected an out of band error clear"), 1u);
  EXPECT_EQ(log.count("ERR 5431: SymbolErrorCounter : 7 : node"), 1u);
  fixture.sweep();
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 137u);
  EXPECT_EQ(log.count("ERR 54"), 2u) << "no further log line without an increase";
}

TEST_F(Performance, ClearsCountersNearTheMaximumWithoutLoss) {
  std::uint64_t& symbol = fixture.device_counters(switch_port(1), Counter::kSymbolErrors);
  std::uint64_t& overrun = fixture.device_counters(switch_port(2), Counter::kBufferOverrunErrors);
  std::uint64_t& downed = fixture.device_counters(switch_port(3), Counter::kLinkDowned);
  std::uint64_t& sent = fixture.device_counters(switch_port(1), Counter::kXmitData);
  symbol = 49152;
  overrun = 9;
  downed = 191;
  sent = 0xC000'0000'0000'0000;
  fixture.start();
  fixture.sweep();
  EXPECT_EQ(symbol, 0u) << "cleared at three quarters of 16 bits";
  EXPECT_EQ(sent, 0u) << "cleared at three quarters of 64 bits";
  EXPECT_EQ(overrun, 9u);
  EXPECT_EQ(downed, 191u);
  symbol = 60000;
  overrun = 10;
  downed = 192;
  fixture.sweep();
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 49152u + 60000u);
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kXmitData), 0xC000'0000'0000'0000u);
  EXPECT_EQ(symbol + overrun + downed, 0u);
  fixture.sweep();
  EXPECT_EQ(fixture.total(switch_port(3), Counter::kLinkDowned), 192u);
}

TEST_F(Performance, KeepsDataWhenErrorsAreCleared) {
  fixture.device_counters(switch_port(1), Counter::kSymbolErrors) = 65535;
  fixture.device_counters(switch_port(1), Counter::kXmitData) = 4321;
  fixture.device_counters(switch_port(1), Counter::kXmitWait) = 17;
  fixture.start();
  fixture.sweep();
  EXPECT_EQ(fixture.device_counters(switch_port(1), Counter::kXmitData), 4321u);
  EXPECT_EQ(fixture.device_counters(switch_port(1), Counter::kXmitWait), 0u);
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kXmitWait), 17u);
}

TEST_F(Performance, Clears32BitDataInTimeWithoutExtendedCounters) {
  fixture.agent(switch_port(1)).capabilities = 0;
  fixture.device_counters(switch_port(1), Counter::kXmitData) = 0xC000'0000;
  fixture.device_counters(switch_port(1), Counter::kUnicastXmitPkts) = 9;
  fixture.device_counters(switch_port(1), Counter::kXmitWait) = 1000;
  fixture.start();
  fixture.sweep();
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kXmitData), 0xC000'0000u);
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kUnicastXmitPkts), 0u);
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kXmitWait), 0u)
      << "the agent does not support XmitWait";
  EXPECT_EQ(fixture.device_counters(switch_port(1), Counter::kXmitData), 0u);
  fixture.device_counters(switch_port(1), Counter::kXmitData) = 5;
  fixture.sweep();
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kXmitData), 0xC000'0005u);
}

TEST_F(Performance, QueriesCapabilitiesOnlyWhenEnabled) {
  fixture.options.query_cpi = false;
  fixture.device_counters(switch_port(1), Counter::kXmitData) = std::uint64_t{1} << 40;
  fixture.start();
  fixture.sweep();
  const std::uint64_t ports = fixture.managed.fabric().node(NodeId(0)).port_count;
  EXPECT_EQ(fixture.agent(switch_port(1)).gets, ports) << "one Get of PortCounters for each port";
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kXmitData), 0xFFFF'FFFFu);
}

TEST_F(Performance, LimitsOutstandingRequests) {
  fixture.options.client.outstanding_max = 3;
  fixture.start();
  fixture.sweep(2);
  EXPECT_EQ(fixture.outstanding_max, 3u);
}

TEST_F(Performance, SkipsHostsWhenConfigured) {
  fixture.options.ignore_cas = true;
  fixture.start();
  fixture.sweep();
  EXPECT_EQ(fixture.tally(host_port()), nullptr);
  EXPECT_NE(fixture.tally(switch_port(1)), nullptr);
  EXPECT_EQ(fixture.agent(host_port()).gets, 0u);
}

TEST_F(Performance, LogsXmitWaitAboveTheThreshold) {
  fixture.options.xmit_wait_log = true;
  fixture.options.xmit_wait_threshold = 1000;
  fixture.device_counters(switch_port(1), Counter::kXmitWait) = 1000;
  fixture.device_counters(switch_port(2), Counter::kXmitWait) = 1001;
  fixture.start();
  const LogLines log;
  fixture.sweep();
  EXPECT_EQ(log.count("ERR 543D: XmitWait : 1001 : node"), 1u);
  EXPECT_EQ(log.count("XmitWait"), 1u);
}

TEST_F(Performance, LogsAnAgentWithoutResponsesOnceAndReadsOtherAgents) {
  fixture.start();
  fixture.sweep();
  fixture.agent(switch_port(1)).answers = false;
  fixture.device_counters(host_port(), Counter::kRcvPkts) = 3;
  const LogLines log;
  const std::uint64_t silent = fixture.manager->counts().silent;
  fixture.sweep(2);
  EXPECT_EQ(log.count("missing: no answer"), 1u);
  EXPECT_LE(fixture.manager->counts().silent - silent,
            2u * fixture.managed.fabric().node(NodeId(0)).port_count);
  EXPECT_EQ(fixture.total(host_port(), Counter::kRcvPkts), 3u);
  fixture.agent(switch_port(1)).answers = true;
  fixture.sweep();
  EXPECT_EQ(log.count("available again"), 1u);
}

TEST_F(Performance, ToleratesLostPackets) {
  fixture.device_counters(switch_port(1), Counter::kSymbolErrors) = 50000;
  fixture.start();
  fixture.managed.emulated().set_faults({.lost = 0.1, .doubled = 0.1, .late = 0.1});
  fixture.sweep(3);
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 50000u);
  EXPECT_EQ(fixture.manager->outstanding(), 0u);
}

TEST_F(Performance, FollowsRedirectionsWhenEnabled) {
  fixture.start();
  const Fabric& known = fixture.managed.sm().snapshot()->fabric;
  ClassPortInfo redirection;  // requests to the first switch are redirected to the second switch
  redirection.redirect_lid = known.endport(EndportId(1)).lid;
  redirection.redirect_pkey = Pkey(0xFFFF);
  redirection.redirect_qp = kGsiQpn;
  redirection.redirect_qkey = kGsiQkey;
  fixture.agent(switch_port(1)).redirects_to = redirection;
  fixture.device_counters(fixture.managed.fabric().port_id(NodeId(1), PortNum(1)),
                          Counter::kSymbolErrors) = 12;
  fixture.sweep();
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 12u);
  EXPECT_NE(fixture.manager->redirections(), "");
  const std::uint64_t gets_before = fixture.agent(switch_port(1)).gets;
  fixture.sweep();
  EXPECT_EQ(fixture.agent(switch_port(1)).gets, gets_before)
      << "no further request to the first switch after the redirection";

  fixture.options.redir = false;
  fixture.manager->set_options(fixture.options);
  const LogLines log;
  fixture.sweep();
  EXPECT_EQ(log.count("redirected, but perfmgr_redir is FALSE"), 1u);
}

/// The manager has a port in each of two planes.
TEST(PerformanceInPlanes, RequestsLeaveInThePlaneOfTheAgent) {
  PerformanceSubnet fixture{fabric_of("fattree2:k=4,planes=2")};
  fixture.managed.use_all_ports();
  fixture.start();
  const PortId first = fixture.port("plane2-leaf-1", 1), second = fixture.port("plane2-leaf-2", 1);
  const PortId other = fixture.port("plane1-leaf-1", 1);
  ClassPortInfo redirection;  // from the first leaf of plane 2 to the second
  redirection.redirect_lid =
      fixture.managed.emulated().port_info(fixture.port("plane2-leaf-2", 0)).lid;
  redirection.redirect_pkey = Pkey(0xFFFF);
  redirection.redirect_qp = kGsiQpn;
  redirection.redirect_qkey = kGsiQkey;
  fixture.agent(first).redirects_to = redirection;
  fixture.device_counters(second, Counter::kSymbolErrors) = 12;
  fixture.device_counters(other, Counter::kSymbolErrors) = 7;
  fixture.sweep();
  EXPECT_EQ(fixture.total(first, Counter::kSymbolErrors), 12u);
  EXPECT_EQ(fixture.total(second, Counter::kSymbolErrors), 12u);
  EXPECT_EQ(fixture.total(other, Counter::kSymbolErrors), 7u);
  EXPECT_EQ(fixture.manager->counts().silent, 0u);
}

TEST_F(Performance, DropsAbsentNodesOrKeepsThemInactive) {
  for (const bool forget : {true, false}) {
    PerformanceSubnet again(small());
    again.options.rm_nodes = forget;
    again.start();
    again.sweep();
    const Fabric& fabric = again.managed.fabric();
    const Endport& last = fabric.endport(EndportId(fabric.endport_count() - 1));
    ASSERT_NE(again.tally(last.port), nullptr);
    again.managed.emulated().switch_off_node(last.node);
    again.managed.sm().request_heavy_sweep("test");
    ASSERT_TRUE(again.managed.settle());
    again.manager->publish(again.managed.sm().snapshot());
    const LogLines log;
    again.sweep(2);
    EXPECT_EQ(log.count("ERR 5407: Node"), 1u);
    EXPECT_EQ(again.tally(last.port) == nullptr, forget);
    EXPECT_EQ(again.manager->forget_inactive(), forget ? 0u : 1u);
    EXPECT_EQ(again.tally(last.port), nullptr);
  }
}

TEST_F(Performance, SendsNothingWithoutASubnet) {
  fixture.start();
  fixture.manager->publish(nullptr);
  fixture.manager->step();
  EXPECT_EQ(fixture.manager->next_event(), TimeNs::max());
  EXPECT_EQ(fixture.manager->counts().queries, 0u);
  fixture.manager->publish(fixture.managed.sm().snapshot());
  fixture.manager->step();
  EXPECT_GT(fixture.manager->counts().queries, 0u);
  fixture.manager->publish(nullptr);
  fixture.manager->step();
  EXPECT_EQ(fixture.manager->outstanding(), 0u);
}

TEST_F(Performance, ContinuesFromTheDatabaseAfterARestart) {
  const TempDir folder;
  fixture.options.database_file = folder / "cache/perfmgr.sqlite";
  std::uint64_t& symbol = fixture.device_counters(switch_port(1), Counter::kSymbolErrors);
  fixture.device_counters(host_port(), Counter::kXmitData) = UINT64_MAX / 2;
  symbol = 10;
  fixture.start();
  fixture.sweep();
  fixture.manager->clear_counters();
  symbol = 13;
  fixture.sweep();
  const auto before = fixture.manager->store().nodes();
  fixture.begin();
  EXPECT_EQ(fixture.manager->store().nodes().size(), before.size());
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 3u);
  symbol = 20;
  fixture.sweep();
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 10u);
  EXPECT_EQ(fixture.total(host_port(), Counter::kXmitData), 0u);
}

TEST_F(Performance, RenamesADamagedDatabase) {
  const TempDir folder;
  fixture.options.database_file = folder / "perfmgr.sqlite";
  ASSERT_TRUE(write_file(fixture.options.database_file, std::string(5000, 'x')));
  const LogLines log;
  fixture.start();
  fixture.sweep();
  EXPECT_EQ(log.count("perfmgr.sqlite.damaged"), 1u);
  EXPECT_TRUE(std::filesystem::exists(folder / "perfmgr.sqlite.damaged"));
  fixture.begin();
  EXPECT_FALSE(fixture.manager->store().nodes().empty());
}

TEST_F(Performance, CountsWithoutADatabaseIfTheFileCannotBeOpened) {
  const TempDir folder;
  ASSERT_TRUE(write_file(folder / "file", "in the way"));
  fixture.options.database_file = folder / "file/perfmgr.sqlite";
  const LogLines log;
  fixture.device_counters(switch_port(1), Counter::kSymbolErrors) = 1;
  fixture.start();
  fixture.sweep();
  EXPECT_EQ(log.count("counters are not saved"), 1u);
  EXPECT_EQ(fixture.total(switch_port(1), Counter::kSymbolErrors), 1u);
}

TEST_F(Performance, WritesTheDumpAfterEachSweep) {
  const TempDir folder;
  fixture.options.dump_file = folder / "counters.txt";
  fixture.device_counters(switch_port(2), Counter::kXmitData) = 1080;
  fixture.device_counters(switch_port(2), Counter::kXmitPkts) = 2'000'000;
  fixture.start();
  fixture.sweep();
  const auto text = read_file(fixture.options.dump_file);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("     xmit_data            : 1080 (4.219KB)\n"), std::string::npos);
  EXPECT_NE(text->find("     xmit_pkts            : 2000000 (1.907M)\n"), std::string::npos);
  ASSERT_TRUE(fixture.manager->dump(true));
  const auto table = read_file(fixture.options.dump_file);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->substr(0, 16), "\nName\tGUID\tActiv");
}

}  // namespace
}  // namespace weft
