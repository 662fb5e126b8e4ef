// The performance manager on an emulated fabric.
#include "base/file.h"
#include "gmp/counter_dump.h"
#include "reading.h"

namespace weft {
namespace {

/// Two switches of 4 ports each with two hosts:  H-S===S-H
Fabric small() { return generated("fattree2:k=4"); }

class Performance : public ::testing::Test {
 protected:
  /// A port of the first switch, and the first host's.
  PortId switch_port(unsigned num) const {
    return reading.managed.fabric().port_id(NodeId(0), PortNum(static_cast<std::uint8_t>(num)));
  }
  PortId host_port() const {
    const Fabric& fabric = reading.managed.fabric();
    return fabric.endport(EndportId(fabric.switch_count())).port;
  }
  mutable Reading reading{small()};
};

TEST_F(Performance, EveryPortOfSwitchesAndEveryHostIsRead) {
  reading.counted(switch_port(1), Counter::kSymbolErrors) = 5;
  reading.counted(switch_port(2), Counter::kXmitData) = std::uint64_t{1} << 40;
  reading.counted(host_port(), Counter::kRcvPkts) = 77;
  reading.start();
  reading.sweep();
  const Fabric& fabric = reading.managed.fabric();
  std::size_t ports = 0;
  for (const auto& [guid, node] : reading.manager->store().nodes()) ports += node.ports.size();
  std::size_t wanted = fabric.ca_count();
  for (const Node& node : fabric.nodes().first(fabric.switch_count())) wanted += node.port_count;
  EXPECT_EQ(ports, wanted);
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 5u);
  EXPECT_EQ(reading.total(switch_port(2), Counter::kXmitData), std::uint64_t{1} << 40);
  EXPECT_EQ(reading.total(host_port(), Counter::kRcvPkts), 77u);
  EXPECT_EQ(reading.manager->counts().silent, 0u);
}

TEST_F(Performance, AReadingAddsTheDifferenceAndNeverLess) {
  std::uint64_t& symbol = reading.counted(switch_port(1), Counter::kSymbolErrors);
  symbol = 100;
  reading.start();
  reading.sweep();
  symbol = 130;
  reading.sweep();
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 130u);
  const LogLines log;
  symbol = 7;  // somebody cleared it
  reading.sweep();
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 137u);
  EXPECT_EQ(log.count("ERR 540A: Detected an out of band error clear"), 1u);
  EXPECT_EQ(log.count("ERR 5431: SymbolErrorCounter : 7 : node"), 1u);
  reading.sweep();
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 137u);
  EXPECT_EQ(log.count("ERR 54"), 2u) << "nothing new, nothing said";
}

TEST_F(Performance, CountersNearTheirEndAreClearedAndNothingIsLost) {
  std::uint64_t& symbol = reading.counted(switch_port(1), Counter::kSymbolErrors);
  std::uint64_t& overrun = reading.counted(switch_port(2), Counter::kBufferOverrunErrors);
  std::uint64_t& downed = reading.counted(switch_port(3), Counter::kLinkDowned);
  std::uint64_t& sent = reading.counted(switch_port(1), Counter::kXmitData);
  symbol = 49152;
  overrun = 9;
  downed = 191;
  sent = 0xC000'0000'0000'0000;
  reading.start();
  reading.sweep();
  EXPECT_EQ(symbol, 0u) << "three quarters of 16 bits";
  EXPECT_EQ(sent, 0u) << "three quarters of 64 bits";
  EXPECT_EQ(overrun, 9u);
  EXPECT_EQ(downed, 191u);
  symbol = 60000;
  overrun = 10;
  downed = 192;
  reading.sweep();
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 49152u + 60000u);
  EXPECT_EQ(reading.total(switch_port(1), Counter::kXmitData), 0xC000'0000'0000'0000u);
  EXPECT_EQ(symbol + overrun + downed, 0u);
  reading.sweep();
  EXPECT_EQ(reading.total(switch_port(3), Counter::kLinkDowned), 192u);
}

TEST_F(Performance, ClearingErrorsLeavesDataAlone) {
  reading.counted(switch_port(1), Counter::kSymbolErrors) = 65535;
  reading.counted(switch_port(1), Counter::kXmitData) = 4321;
  reading.counted(switch_port(1), Counter::kXmitWait) = 17;
  reading.start();
  reading.sweep();
  EXPECT_EQ(reading.counted(switch_port(1), Counter::kXmitData), 4321u);
  EXPECT_EQ(reading.counted(switch_port(1), Counter::kXmitWait), 0u);
  EXPECT_EQ(reading.total(switch_port(1), Counter::kXmitWait), 17u);
}

TEST_F(Performance, WithoutTheExtendedCountersDataComesIn32BitsAndIsClearedInTime) {
  reading.agent(switch_port(1)).capabilities = 0;
  reading.counted(switch_port(1), Counter::kXmitData) = 0xC000'0000;
  reading.counted(switch_port(1), Counter::kUnicastXmitPkts) = 9;
  reading.counted(switch_port(1), Counter::kXmitWait) = 1000;
  reading.start();
  reading.sweep();
  EXPECT_EQ(reading.total(switch_port(1), Counter::kXmitData), 0xC000'0000u);
  EXPECT_EQ(reading.total(switch_port(1), Counter::kUnicastXmitPkts), 0u);
  EXPECT_EQ(reading.total(switch_port(1), Counter::kXmitWait), 0u) << "it does not know it";
  EXPECT_EQ(reading.counted(switch_port(1), Counter::kXmitData), 0u);
  reading.counted(switch_port(1), Counter::kXmitData) = 5;
  reading.sweep();
  EXPECT_EQ(reading.total(switch_port(1), Counter::kXmitData), 0xC000'0005u);
}

TEST_F(Performance, NobodyIsAskedWhatHeCanUnlessWanted) {
  reading.options.query_cpi = false;
  reading.counted(switch_port(1), Counter::kXmitData) = std::uint64_t{1} << 40;
  reading.start();
  reading.sweep();
  const std::uint64_t ports = reading.managed.fabric().node(NodeId(0)).port_count;
  EXPECT_EQ(reading.agent(switch_port(1)).gets, ports) << "one PortCounters a port";
  EXPECT_EQ(reading.total(switch_port(1), Counter::kXmitData), 0xFFFF'FFFFu);
}

TEST_F(Performance, AtMostSoManyQuestionsAreOnTheWire) {
  reading.options.client.outstanding_max = 3;
  reading.start();
  reading.sweep(2);
  EXPECT_EQ(reading.outstanding_max, 3u);
}

TEST_F(Performance, HostsCanBeLeftOut) {
  reading.options.ignore_cas = true;
  reading.start();
  reading.sweep();
  EXPECT_EQ(reading.tally(host_port()), nullptr);
  EXPECT_NE(reading.tally(switch_port(1)), nullptr);
  EXPECT_EQ(reading.agent(host_port()).gets, 0u);
}

TEST_F(Performance, WaitingPortsAreNamedAboveTheThreshold) {
  reading.options.xmit_wait_log = true;
  reading.options.xmit_wait_threshold = 1000;
  reading.counted(switch_port(1), Counter::kXmitWait) = 1000;
  reading.counted(switch_port(2), Counter::kXmitWait) = 1001;
  reading.start();
  const LogLines log;
  reading.sweep();
  EXPECT_EQ(log.count("ERR 543D: XmitWait : 1001 : node"), 1u);
  EXPECT_EQ(log.count("XmitWait"), 1u);
}

TEST_F(Performance, AnAgentThatDoesNotAnswerIsNamedOnceAndDelaysNobody) {
  reading.start();
  reading.sweep();
  reading.agent(switch_port(1)).answers = false;
  reading.counted(host_port(), Counter::kRcvPkts) = 3;
  const LogLines log;
  const std::uint64_t silent = reading.manager->counts().silent;
  reading.sweep(2);
  EXPECT_EQ(log.count("do not come: no answer"), 1u);
  EXPECT_LE(reading.manager->counts().silent - silent,
            2u * reading.managed.fabric().node(NodeId(0)).port_count);
  EXPECT_EQ(reading.total(host_port(), Counter::kRcvPkts), 3u);
  reading.agent(switch_port(1)).answers = true;
  reading.sweep();
  EXPECT_EQ(log.count("come again"), 1u);
}

TEST_F(Performance, LostPacketsChangeNothing) {
  reading.counted(switch_port(1), Counter::kSymbolErrors) = 50000;
  reading.start();
  reading.managed.emulated().set_faults({.lost = 0.1, .doubled = 0.1, .late = 0.1});
  reading.sweep(3);
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 50000u);
  EXPECT_EQ(reading.manager->outstanding(), 0u);
}

TEST_F(Performance, RedirectionsAreFollowedWhereTheyShall) {
  reading.start();
  const Fabric& known = reading.managed.sm().snapshot()->fabric;
  ClassPortInfo elsewhere;  // the second switch answers for the first
  elsewhere.redirect_lid = known.endport(EndportId(1)).lid;
  elsewhere.redirect_pkey = Pkey(0xFFFF);
  elsewhere.redirect_qp = kGsiQpn;
  elsewhere.redirect_qkey = kGsiQkey;
  reading.agent(switch_port(1)).redirects_to = elsewhere;
  reading.counted(reading.managed.fabric().port_id(NodeId(1), PortNum(1)), Counter::kSymbolErrors) =
      12;
  reading.sweep();
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 12u);
  EXPECT_NE(reading.manager->redirections(), "");
  const std::uint64_t asked = reading.agent(switch_port(1)).gets;
  reading.sweep();
  EXPECT_EQ(reading.agent(switch_port(1)).gets, asked) << "it is known where to ask";

  reading.options.redir = false;
  reading.manager->set_options(reading.options);
  const LogLines log;
  reading.sweep();
  EXPECT_EQ(log.count("it redirects, and perfmgr_redir is off"), 1u);
}

TEST_F(Performance, NodesThatAreGoneAreForgottenOrKeptAsInactive) {
  for (const bool forget : {true, false}) {
    Reading again(small());
    again.options.rm_nodes = forget;
    again.start();
    again.sweep();
    const Fabric& fabric = again.managed.fabric();
    const Endport& last = fabric.endport(EndportId(fabric.endport_count() - 1));
    ASSERT_NE(again.tally(last.port), nullptr);
    again.managed.emulated().kill_node(last.node);
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

TEST_F(Performance, NothingIsAskedWhileThereIsNoSubnet) {
  reading.start();
  reading.manager->publish(nullptr);
  reading.manager->step();
  EXPECT_EQ(reading.manager->next_event(), TimeNs::max());
  EXPECT_EQ(reading.manager->counts().queries, 0u);
  reading.manager->publish(reading.managed.sm().snapshot());
  reading.manager->step();
  EXPECT_GT(reading.manager->counts().queries, 0u);
  reading.manager->publish(nullptr);
  reading.manager->step();
  EXPECT_EQ(reading.manager->outstanding(), 0u);
}

TEST_F(Performance, ARestartGoesOnFromTheDatabase) {
  const TempDir folder;
  reading.options.database_file = folder / "cache/perfmgr.sqlite";
  std::uint64_t& symbol = reading.counted(switch_port(1), Counter::kSymbolErrors);
  reading.counted(host_port(), Counter::kXmitData) = UINT64_MAX / 2;
  symbol = 10;
  reading.start();
  reading.sweep();
  reading.manager->clear_counters();
  symbol = 13;
  reading.sweep();
  const auto before = reading.manager->store().nodes();
  reading.begin();
  EXPECT_EQ(reading.manager->store().nodes().size(), before.size());
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 3u);
  symbol = 20;
  reading.sweep();
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 10u);
  EXPECT_EQ(reading.total(host_port(), Counter::kXmitData), 0u);
}

TEST_F(Performance, ADamagedDatabaseIsMovedAside) {
  const TempDir folder;
  reading.options.database_file = folder / "perfmgr.sqlite";
  ASSERT_TRUE(write_file(reading.options.database_file, std::string(5000, 'x')));
  const LogLines log;
  reading.start();
  reading.sweep();
  EXPECT_EQ(log.count("perfmgr.sqlite.damaged"), 1u);
  EXPECT_TRUE(std::filesystem::exists(folder / "perfmgr.sqlite.damaged"));
  reading.begin();
  EXPECT_FALSE(reading.manager->store().nodes().empty());
}

TEST_F(Performance, WhereThereCanBeNoDatabaseCountingGoesOn) {
  const TempDir folder;
  ASSERT_TRUE(write_file(folder / "file", "in the way"));
  reading.options.database_file = folder / "file/perfmgr.sqlite";
  const LogLines log;
  reading.counted(switch_port(1), Counter::kSymbolErrors) = 1;
  reading.start();
  reading.sweep();
  EXPECT_EQ(log.count("the counters are not kept"), 1u);
  EXPECT_EQ(reading.total(switch_port(1), Counter::kSymbolErrors), 1u);
}

TEST_F(Performance, TheDumpIsWrittenAfterEachSweep) {
  const TempDir folder;
  reading.options.dump_file = folder / "counters.txt";
  reading.counted(switch_port(2), Counter::kXmitData) = 1080;
  reading.counted(switch_port(2), Counter::kXmitPkts) = 2'000'000;
  reading.start();
  reading.sweep();
  const auto text = read_file(reading.options.dump_file);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("     xmit_data            : 1080 (4.219KB)\n"), std::string::npos);
  EXPECT_NE(text->find("     xmit_pkts            : 2000000 (1.907M)\n"), std::string::npos);
  ASSERT_TRUE(reading.manager->dump(true));
  const auto table = read_file(reading.options.dump_file);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->substr(0, 16), "\nName\tGUID\tActiv");
}

}  // namespace
}  // namespace weft
