// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/console/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fabric/generators/spec.h"
#include "routing/engine.h"
#include "service/console/console_reports.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A console view of a fabric routed by minhop, with the given LMC.
ConsoleView view_of(const std::string& spec, std::uint8_t lmc = 0) {
  ConsoleView view;
  view.version = "1.2.3";
  view.posted.settings = std::make_shared<const Settings>();
  auto fabric = generate(spec);
  std::vector<LidRange> ranges;
  for (const Endport& endport : fabric->endports())
    ranges.push_back({Lid(static_cast<std::uint16_t>((ranges.size() + 1) << lmc)),
                      fabric->is_switch(endport.node) ? std::uint8_t{0} : lmc});
  fabric = fabric->with_lids(ranges);
  auto routes = find_engine("minhop")->run(*fabric, {});
  Snapshot snapshot{std::move(*fabric), std::move(*routes), {}, {}, EndportId(0), 1, {}};
  snapshot.report.up = true;
  view.posted.snapshot = std::make_shared<const Snapshot>(std::move(snapshot));
  return view;
}

std::string output_of(std::string_view line, const ConsoleView& view) {
  return execute(line, view).text;
}

TEST(Console, EveryCommandExistsAndHasHelp) {
  const ConsoleView view = view_of("fattree2:k=4");
  const std::string help = output_of("help", view);
  std::set<std::string_view> names;
  for (const ConsoleCommand& command : console_commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_THAT(help, HasSubstr(command.usage));
    EXPECT_THAT(output_of(fmt::format("help {}", command.name), view), HasSubstr(command.usage));
    EXPECT_THAT(output_of(command.name, view), Not(HasSubstr("Command not found"))) << command.name;
  }
  EXPECT_THAT(output_of("help pm", view), HasSubstr("perfmgr(pm)"));
  EXPECT_THAT(output_of("help no\x1bsuch", view), HasSubstr("'no?such' : Command not found"));
}

TEST(Console, CommandsReturnRequestsAsValues) {
  const ConsoleView view = view_of("fattree2:k=4");
  using Kind = SmRequest::Kind;
  const auto requests_of = [&](std::string_view line) { return execute(line, view).requests; };
  EXPECT_THAT(requests_of("resweep heavy"), ElementsAre(SmRequest{Kind::kHeavySweep, 0}));
  EXPECT_THAT(requests_of(" resweep\tlight \r"), ElementsAre(SmRequest{Kind::kLightSweep, 0}));
  EXPECT_THAT(requests_of("reroute"), ElementsAre(SmRequest{Kind::kReroute, 0}));
  EXPECT_THAT(requests_of("sweep off"), ElementsAre(SmRequest{Kind::kSweeping, 0}));
  EXPECT_THAT(requests_of("sweep on"), ElementsAre(SmRequest{Kind::kSweeping, 1}));
  EXPECT_THAT(requests_of("priority 0xf"), ElementsAre(SmRequest{Kind::kPriority, 15}));
  EXPECT_THAT(requests_of("loglevel 0x47"), ElementsAre(SmRequest{Kind::kLogFlags, 0x47}));
  for (const char* line :
       {"", "  ", "help", "resweep", "resweep all", "sweep", "priority", "priority 16",
        "priority -1", "priority 1x", "loglevel", "loglevel 0x100", "status", "quit", "dump_conf",
        "portstatus", "nonsense"})
    EXPECT_THAT(requests_of(line), IsEmpty()) << line;
}

TEST(Console, EmulateAcceptsNodeNamesWithSpaces) {
  ConsoleView view = view_of("fattree2:k=4");
  const NamedCable cable{{Guid(1), "leaf 1", PortNum(3)}, {Guid(2), "spine", PortNum(1)}};
  CableOutcome outcome{true, cable, {}};
  std::vector<CableOrder> cable_orders;
  EXPECT_THAT(output_of("emulate list", view), HasSubstr("not running"));
  view.change_cables = [&](const CableOrder& order) {
    cable_orders.push_back(order);
    return Result<CableOutcome>(outcome);
  };
  using Action = CableOrder::Action;
  EXPECT_EQ(output_of("emulate cut leaf 1  3", view),
            "'leaf 1' (0x0000000000000001) port 3 - 'spine' (0x0000000000000002) port 1: cut\n");
  EXPECT_THAT(output_of("emulate mend 0x1 3", view), HasSubstr(": restored"));
  EXPECT_THAT(output_of("emulate list", view), HasSubstr("No cable is cut"));
  outcome = {false, cable, {cable}};
  EXPECT_THAT(output_of("emulate cut leaf 1 3", view), HasSubstr(": cut already"));
  EXPECT_THAT(output_of("emulate mend leaf 1 3", view), HasSubstr(": not cut"));
  EXPECT_THAT(output_of("emulate list", view),
              HasSubstr("'leaf 1' (0x0000000000000001) port 3 - "));
  ASSERT_EQ(cable_orders.size(), 6u);
  EXPECT_EQ(cable_orders[0], (CableOrder{Action::kCut, "leaf 1", 3}));
  EXPECT_EQ(cable_orders[1], (CableOrder{Action::kReconnect, "0x1", 3}));
  EXPECT_EQ(cable_orders[2], CableOrder{});
  for (const char* line : {"emulate", "emulate cut", "emulate cut leaf", "emulate cut leaf x",
                           "emulate mend leaf -1", "emulate list all", "emulate burn leaf 1"})
    EXPECT_THAT(output_of(line, view), HasSubstr("Invalid emulate command")) << line;
  EXPECT_EQ(cable_orders.size(), 6u);
  view.change_cables = [](const CableOrder&) -> Result<CableOutcome> {
    return fail(Code::kRejected, "the fabric is not emulated");
  };
  EXPECT_EQ(output_of("emulate cut leaf 3", view), "the fabric is not emulated\n");
}

TEST(Console, QuitEndsRemoteSessionsOnly) {
  ConsoleView view = view_of("fattree2:k=4");
  EXPECT_TRUE(execute("quit", view).quit);
  EXPECT_TRUE(execute("exit", view).quit);
  view.local = true;
  EXPECT_FALSE(execute("quit", view).quit);
}

TEST(Console, HidesKeysFromUnauthenticatedSessions) {
  ConsoleView view = view_of("fattree2:k=4");
  EXPECT_THAT(output_of("dump_conf", view), Not(HasSubstr("sm_key 0x")));
  EXPECT_THAT(output_of("dump_conf", view), HasSubstr("\nlmc 0\n"));
  view.trusted = true;
  EXPECT_THAT(output_of("dump_conf", view), HasSubstr("\nsm_key 0x0000000000000001\n"));
}

TEST(Console, ReportsMissingDataBeforeTheFirstSweep) {
  ConsoleView view = view_of("fattree2:k=4");
  view.posted.snapshot.reset();
  for (const char* line :
       {"querylid 1", "portstatus", "switchbalance", "lidbalance", "dump_portguid x"})
    EXPECT_THAT(output_of(line, view), HasSubstr("no sweep has programmed")) << line;
  EXPECT_THAT(output_of("status", view), HasSubstr("Routing Engine       : <none>"));
}

TEST(Console, ShowsThePortOfALid) {
  const ConsoleView view = view_of("fattree2:k=4");
  const std::string text = output_of("querylid 7", view);  // LIDs 1 to 6 belong to switches
  EXPECT_THAT(text, HasSubstr("GUID                : 0x0020000000000011\n"));
  EXPECT_THAT(text, HasSubstr("Node Type           : Channel Adapter\n"));
  EXPECT_THAT(text, HasSubstr("Port 1              : 4xEDR to 'leaf-1'"));
  for (const char* line :
       {"querylid", "querylid 0", "querylid 4000", "querylid 99999", "querylid x"})
    EXPECT_THAT(output_of(line, view), HasSubstr("Invalid lid")) << line;
}

TEST(Console, CountsPorts) {
  const ConsoleView view = view_of("fattree2:k=4");
  EXPECT_EQ(
      output_of("portstatus ca", view),
      "\"Channel Adapter\" port status:\n   8 port(s) scanned on 8 nodes\n   8 active\n   8 at "
      "4X\n   8 at EDR\n\n");
  EXPECT_THAT(output_of("portstatus", view), HasSubstr("32 port(s) scanned on 14 nodes"));
  EXPECT_THAT(output_of("portstatus router", view), HasSubstr("0 port(s) scanned on 0 nodes"));
  EXPECT_THAT(output_of("portstatus hub", view), HasSubstr("Invalid portstatus command"));
}

TEST(Console, SwitchbalanceOmitsBalancedSwitchesUnlessRequested) {
  const ConsoleView even = view_of("fattree2:k=4");
  EXPECT_EQ(output_of("switchbalance", even), "");
  // Six hosts are on other leaves, reachable over two spines.
  EXPECT_THAT(output_of("switchbalance 0x0010000000000001", even),
              testing::EndsWith("(leaf-1)\nPort 3: 3\nPort 4: 3\n"));
  EXPECT_THAT(output_of("switchbalance verbose", even), HasSubstr("(spine-2)\nPort 1: 2\n"));
  EXPECT_THAT(output_of("switchbalance 0x77", even), HasSubstr("is no switch of this fabric"));
  EXPECT_THAT(output_of("switchbalance leaf", even), HasSubstr("Invalid switchbalance command"));
}

TEST(Console, CountsEgressPortsOfSeveralLids) {
  EXPECT_THAT(output_of("lidbalance", view_of("fattree2:k=4")), HasSubstr("LMC 0"));
  EXPECT_THAT(output_of("lidbalance 0x0010000000000001", view_of("fattree2:k=4", 1)),
              HasSubstr(": 2 LIDs over 2 ports to 2 switches\n"));
}

TEST(Console, RejectsExpensiveRegularExpressions) {
  const ConsoleView view = view_of("fattree2:k=4");
  EXPECT_EQ(output_of("dump_portguid ^host-[12]$", view),
            "0x0020000000000011\n0x0020000000000021\n");
  for (const char* line : {"dump_portguid (a{9}){9}", "dump_portguid (a)\\1", "dump_portguid (",
                           "dump_portguid a+++++++++++++++++++++++++++++b",
                           "dump_portguid ((((((((a+)*)+)*)+)*)+)*)+", "dump_portguid (a|b*)?"})
    EXPECT_THAT(output_of(line, view), Not(HasSubstr("0x"))) << line;
  EXPECT_THAT(output_of("dump_portguid", view), HasSubstr("No valid expression"));
}

TEST(Console, WritesFilesOnlyUnderPlainNames) {
  const ConsoleView view = view_of("fattree2:k=4");
  const ConsoleAnswer filed = execute("dump_portguid file hosts host-1", view);
  ASSERT_EQ(filed.files.size(), 1u);
  EXPECT_EQ(filed.files[0].name, "hosts");
  EXPECT_EQ(filed.files[0].content, "0x0020000000000011\n");
  for (const char* name : {"../x", "/etc/passwd", ".hidden", "a/b"})
    EXPECT_THAT(execute(fmt::format("dump_portguid file {} host", name), view).files, IsEmpty());
  EXPECT_THAT(execute("dump_portguid file", view).files, IsEmpty());
}

}  // namespace
}  // namespace weft
