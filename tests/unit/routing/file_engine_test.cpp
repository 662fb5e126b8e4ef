// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The engine "file" reads forwarding tables and LID matrices from files, and matches them to
// fabrics with changed LIDs. Also tests the option calculate_missing_routes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/check.h"
#include "base/file.h"
#include "routes/dump/write.h"
#include "routing/engine.h"
#include "routing/file/file.h"
#include "routing/file/filed_lfts.h"
#include "routing/minhop.h"
#include "routing/tables/missing_routes.h"
#include "routing/updn.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FileEngine : public testing::Test {
 protected:
  std::string file(std::string_view content) {
    const std::string path = dir_ / "input";
    CHECK(write_file(path, content).has_value());
    return path;
  }
  using Writer = void (*)(const Fabric&, const Routes&, const Append&);
  static std::string dumped(const Fabric& fabric, const Routes& routes, Writer write) {
    std::string text;
    write(fabric, routes, [&](std::string_view part) { text += part; });
    return text;
  }
  FiledLfts filed(std::string_view content) {
    auto result = read_filed_lfts(file(content), warnings_);
    CHECK(result.has_value());
    return std::move(*result);
  }
  FiledMatrix matrix(std::string_view content) {
    auto result = read_lid_matrix(file(content), warnings_);
    CHECK(result.has_value());
    return std::move(*result);
  }
  template <class Reader>
  std::string failure_text(Reader reader, std::string_view content) {
    const std::string path = file(content);
    return error_in(path, reader(path, warnings_));
  }

  std::vector<std::string> warnings_;
  TempDir dir_;
};

/// The same fabric with all its LIDs reversed.
Fabric renumbered(const Fabric& fabric, std::uint8_t lmc) {
  std::vector<LidRange> lids;
  const std::uint32_t count = fabric.endport_count();
  for (std::uint32_t e = 0; e < count; ++e) {
    const bool is_switch = fabric.is_switch(fabric.endport(EndportId(e)).node);
    lids.push_back(
        {Lid(static_cast<std::uint16_t>((count - e) << lmc)), is_switch ? std::uint8_t{0} : lmc});
  }
  return *fabric.with_lids(lids);
}

TEST_F(FileEngine, ReturnsTheTablesOfEveryDump) {
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
    const Fabric fabric = fabric_of("torus:3x3,hosts=2", lmc);
    const auto made = route_updn(fabric, {});
    ASSERT_TRUE(made);
    for (const Writer write : {&write_lfts, &write_fdbs}) {
      RoutingOptions options;
      options.lfts = match_lfts(filed(dumped(fabric, *made, write)), fabric, warnings_);
      EXPECT_THAT(warnings_, IsEmpty());
      const auto read = route_file(fabric, options);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->engine, "file");
      EXPECT_EQ(read->lfts, made->lfts);
    }
  }
}

TEST_F(FileEngine, MatchesLidsByPortGuid) {
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{1}}) {
    const Fabric before = fabric_of("fattree2:k=4", lmc);
    const auto made = route_minhop(before, {});
    const Fabric after = renumbered(before, lmc);
    const Lfts lfts = match_lfts(filed(dumped(before, *made, &write_lfts)), after, warnings_);
    EXPECT_THAT(warnings_, IsEmpty());
    for (std::uint32_t e = 0; e < before.endport_count(); ++e)
      for (unsigned offset = 0; offset < 1u << before.endport(EndportId(e)).lmc; ++offset)
        for (std::uint32_t s = 0; s < before.switch_count(); ++s) {
          const auto at = [&](const Fabric& fabric) {
            return Lid(
                static_cast<std::uint16_t>(fabric.endport(EndportId(e)).lid.value() + offset));
          };
          ASSERT_EQ(lfts.port(SwitchId(s), at(after)), made->lfts.port(SwitchId(s), at(before)));
        }
    RoutingOptions options;
    options.lfts = lfts;
    EXPECT_TRUE(verify(after, *route_file(after, options)).ok());
  }
}

// S0 and S1, cabled at their ports 1, with hosts H0 and H1 at ports 2. The LIDs of S0, S1, H0 and
// H1 are 1, 2, 3 and 4.
Fabric pair() { return Tiny(2).link(0, 1).hosts(0).hosts(1).build(); }

TEST_F(FileEngine, KeepsLidsWithoutAGuidOrWithGuidZero) {
  const Lfts lfts = match_lfts(filed("Unicast lids [0-4] of switch Lid 9 guid 0x100 ('S0'):\n"
                                     "  Lid  Out   Destination\n"
                                     "0x0001 000 : (Switch portguid 0x0000000000000000: 'S0')\n"
                                     "0x0003 002\n"
                                     "0x0004 001 # Channel Adapter portguid 0x10001: 'H0'\n"
                                     "3 lids dumped\n"),
                               pair(), warnings_);
  EXPECT_EQ(lfts.port(SwitchId(0), Lid(1)), PortNum(0));
  EXPECT_EQ(lfts.port(SwitchId(0), Lid(3)),
            PortNum(1));  // H0 has LID 3 now, and the last entry for a LID is used
  EXPECT_EQ(lfts.port(SwitchId(0), Lid(4)), kNoRoute);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(": no table for switch 'S1' (0x0000000000000101)")));
}

TEST_F(FileEngine, WarnsWithTheLineAboutAbsentSwitchesAndPorts) {
  const std::string text =
      "Unicast lids [0-4] of switch Lid 1 guid 0x100 ('S0'):\n"
      "0x0003 002 # Channel Adapter portguid 0x777: 'gone'\n"
      "0x0004 009 # Channel Adapter portguid 0x10011: 'H1'\n"
      "hello\n"
      "Unicast lids [0-4] of switch Lid 2 guid 0x101 ('S1'):\n"
      "Unicast lids [0-4] of switch Lid 3 guid 0x999 ('S9'):\n"
      "0x0003 002 # Channel Adapter portguid 0x778: 'other'\n";
  const FiledLfts file = filed(text);
  const Lfts lfts = match_lfts(file, pair(), warnings_);
  for (unsigned lid = 1; lid <= 4; ++lid)
    EXPECT_EQ(lfts.port(SwitchId(0), Lid(static_cast<std::uint16_t>(lid))), kNoRoute);
  EXPECT_THAT(
      warnings_,
      ElementsAre(
          HasSubstr(":4: skipped a line that is neither a header nor an entry of a table: 'hello'"),
          HasSubstr(":7: LID 3 is of port 0x0000000000000778 here and of port "
                    "0x0000000000000777 in line 2"),
          HasSubstr(":2: port 0x0000000000000777 is not in this fabric, or has no LID: LID 3 and "
                    "the other LIDs of the port are left out"),
          HasSubstr(":1: LID 4: found output port 9 of switch 'S0' (0x0000000000000100), which "
                    "has 8 ports: left out"),
          HasSubstr(":6: no switch 0x0000000000000999 in this fabric")));
}

TEST_F(FileEngine, ReportsLineAndColumnOfAMalformedTable) {
  const std::string head = "Unicast lids [0-4] of switch Lid 1 guid 0x100 ('S0'):\n";
  EXPECT_THAT(failure_text(read_filed_lfts, ""), HasSubstr("contains no forwarding table"));
  EXPECT_THAT(failure_text(read_filed_lfts, "0x0001 001\n"), HasSubstr(":1:1: found"));
  EXPECT_THAT(failure_text(read_filed_lfts, "Unicast lids of no switch\n"), HasSubstr(":1:"));
  EXPECT_THAT(failure_text(read_filed_lfts, head + "0xc000 001\n"),
              HasSubstr(":2:1: found '0xc000 001', expected a LID from 0x0001 to 0xbfff"));
  EXPECT_THAT(failure_text(read_filed_lfts, head + "0x0000 001\n"), HasSubstr(":2:1: found"));
  EXPECT_THAT(failure_text(read_filed_lfts, head + "0x0001 256\n"),
              HasSubstr(":2:8: found '256', expected a port number from 0 to 255"));
  EXPECT_THAT(failure_text(read_filed_lfts, head + "0x0001\n"),
              HasSubstr(":2:7: found the end of the line, expected a port number"));
  EXPECT_THAT(failure_text(read_filed_lfts, head + "0x0001 001 # Switch portguid S0\n"),
              HasSubstr(":2:30: found 'S0', expected a port GUID"));
  const auto absent = read_filed_lfts(dir_ / "absent", warnings_);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Code::kEnvironment);
}

TEST_F(FileEngine, FailsWithoutAnyFile) {
  const auto routes = route_file(pair(), {});
  ASSERT_FALSE(routes);
  EXPECT_EQ(routes.error().code, Code::kUnroutable);
  EXPECT_THAT(routes.error().message, HasSubstr("-U"));
}

TEST_F(FileEngine, BalancesOverALidMatrixAsMinhopDoes) {
  const Fabric fabric = fabric_of("torus:3x4,hosts=2");
  const auto minhop = route_minhop(fabric, {});
  RoutingOptions options;
  options.lid_matrix =
      match_lid_matrix(matrix(dumped(fabric, *minhop, &write_lid_matrix)), fabric, warnings_);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(route_file(fabric, options)->lfts, minhop->lfts);
  EXPECT_EQ(route_minhop(fabric, options)->lfts, minhop->lfts);

  const Fabric moved = renumbered(fabric, 0);
  options.lid_matrix =
      match_lid_matrix(matrix(dumped(fabric, *minhop, &write_lid_matrix)), moved, warnings_);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_TRUE(verify(moved, *route_file(moved, options)).ca_to_ca.all());
}

TEST_F(FileEngine, HasNoLoopsWithAContradictoryMatrix) {
  // A line S0 - S1 - S2. The matrix of S0 lists S2 at one hop over S1, the matrix of S1 lists S2 at
  // one hop over S0.
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(2).build();
  const FiledMatrix loop =
      matrix("Switch: guid 0x100\n0x0003: 01 01\nSwitch: guid 0x101\n0x0003: 01 01 02\n");
  RoutingOptions options;
  options.lid_matrix = match_lid_matrix(loop, fabric, warnings_);
  const auto routes = route_file(fabric, options);
  ASSERT_TRUE(routes);
  EXPECT_EQ(verify(fabric, *routes).loops, 0u);
  EXPECT_EQ(routes->lfts.port(SwitchId(0), Lid(5)), kNoRoute);
}

TEST_F(FileEngine, ReportsLineAndColumnOfAMalformedMatrix) {
  const std::string head = "Switch: guid 0x100\n";
  EXPECT_THAT(failure_text(read_lid_matrix, "# nothing\n"), HasSubstr("contains no LID matrix"));
  EXPECT_THAT(failure_text(read_lid_matrix, "0x0001: 00\n"), HasSubstr(":1:1: found"));
  EXPECT_THAT(failure_text(read_lid_matrix, "Switch: guid S0\n"),
              HasSubstr(":1:14: found 'S0', expected the GUID of a switch"));
  EXPECT_THAT(failure_text(read_lid_matrix, head + "0x0001: 00 1ff\n"),
              HasSubstr(":2:12: found '1ff', expected hops from 00 to ff"));
  EXPECT_THAT(failure_text(read_lid_matrix, head + "0x0001 00 01\n"),
              HasSubstr(":2:1: found '0x0001', expected a LID from 0x0001: to 0xbfff:"));
  EXPECT_THAT(failure_text(read_lid_matrix, head + "0x0001:\n"),
              HasSubstr(":2:8: found the end of the line"));
  EXPECT_THAT(failure_text(read_lid_matrix, head + "0x0001: 00 # portguid x\n"),
              HasSubstr(":2:23: found 'x', expected a port GUID"));
  EXPECT_FALSE(read_lid_matrix(dir_ / "absent", warnings_));
}

TEST_F(FileEngine, UsesTheMatrixForLidsWithoutATable) {
  const Fabric fabric = pair();
  RoutingOptions options;
  options.lfts = match_lfts(filed("Unicast lids [0-4] of switch Lid 1 guid 0x100 ('S0'):\n"
                                  "0x0003 001\n"),
                            fabric, warnings_);
  options.lid_matrix = match_lid_matrix(
      matrix("Switch: guid 0x100\n0x0002: 01 01\nSwitch: guid 0x101\n0x0001: 01 01\n"), fabric,
      warnings_);
  const auto routes = route_file(fabric, options);
  ASSERT_TRUE(routes);
  EXPECT_EQ(routes->lfts.port(SwitchId(0), Lid(3)),
            PortNum(1));  // a wrong entry of the file is kept
  EXPECT_EQ(routes->lfts.port(SwitchId(1), Lid(3)), kNoRoute);
  EXPECT_EQ(routes->lfts.port(SwitchId(0), Lid(4)), PortNum(1));
  EXPECT_EQ(routes->lfts.port(SwitchId(1), Lid(4)), PortNum(2));
}

TEST(MissingRoutes, FillEmptyEntriesOnly) {
  for (const char* spec : {"torus:4x4,hosts=2", "fattree3:k=4", "random:n=20,degree=4,seed=2"}) {
    const Fabric fabric = fabric_of(spec, 1);
    const auto whole = route_minhop(fabric, {});
    Lfts holed = whole->lfts;
    std::uint64_t holes = 0;
    for_each_lid(fabric, [&](const Endport&, Lid lid) {
      for (std::uint32_t s = lid.value() % 3; s < fabric.switch_count(); s += 3) {
        if (holed.port(SwitchId(s), lid) == kNoRoute) continue;
        holed.set(SwitchId(s), lid, kNoRoute);
        ++holes;
      }
    });
    Routes routes = *whole;
    routes.lfts = holed;
    EXPECT_EQ(add_missing_routes(fabric, routes.lfts), holes) << spec;
    const Verdict verdict = verify(fabric, routes);
    EXPECT_TRUE(verdict.ca_to_ca.all()) << spec;
    EXPECT_TRUE(verdict.switch_to_switch.all()) << spec;
    EXPECT_EQ(verdict.loops, 0u) << spec;
    for_each_lid(fabric, [&](const Endport&, Lid lid) {
      for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
        if (const PortNum kept = holed.port(SwitchId(s), lid); kept != kNoRoute) {
          ASSERT_EQ(routes.lfts.port(SwitchId(s), lid), kept) << spec;
        }
    });
  }
}

TEST(MissingRoutes, ReplaceEntriesOfPortsWithoutACableAndBalanceEqualCables) {
  // S0 and S1 with two cables at ports 1 and 2. The entries of S0 use its port 7, which has no
  // cable.
  const Fabric fabric = Tiny(2).link(0, 1, 2).hosts(0).hosts(1, 4).build();
  Routes routes = *route_minhop(fabric, {});
  std::array<unsigned, 8> used{};
  for (const EndportId id : fabric.endports_at(SwitchId(1)))
    routes.lfts.set(SwitchId(0), fabric.endport(id).lid, PortNum(7));
  EXPECT_EQ(add_missing_routes(fabric, routes.lfts), 4u);
  for (const EndportId id : fabric.endports_at(SwitchId(1)))
    ++used[routes.lfts.port(SwitchId(0), fabric.endport(id).lid).value()];
  EXPECT_EQ(used[1] + used[2], 4u);
  EXPECT_GE(used[1], 1u);
  EXPECT_GE(used[2], 1u);
  EXPECT_TRUE(verify(fabric, routes).ok());
}

TEST(MissingRoutes, ConnectTheSpinesOfUpdnIfEnabled) {
  const Fabric fabric = fabric_of("fattree2:k=4");
  const Engine& updn = *find_engine("updn");
  EXPECT_FALSE(verify(fabric, *run_engine(updn, fabric, {})).switch_to_switch.all());
  RoutingOptions options;
  options.calculate_missing_routes = true;
  const Verdict verdict = verify(fabric, *run_engine(updn, fabric, options));
  EXPECT_TRUE(verdict.ok());
  EXPECT_TRUE(verdict.switch_to_switch.all());
}

}  // namespace
}  // namespace weft
