// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/dump/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/file.h"
#include "routes/dump/write.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

//  H0 - S0 - S1 - H1, H2      LIDs: 1 and 2 for the switches, 3, 4 and 5 for the hosts
class DumpRead : public testing::Test {
 protected:
  std::string file(const std::string& text, const std::string& name = "dump") {
    const std::string path = folder_ / name;
    EXPECT_TRUE(write_file(path, text));
    return path;
  }

  Result<Lfts> lfts(const std::string& text) { return read_lfts(fabric_, file(text), warnings_); }

  std::string lfts_error(const std::string& text) {
    return error_in(folder_.path() + "/", lfts(text));
  }

  TempDir folder_;
  Warnings warnings_;
  const Fabric fabric_ = Tiny(2).link(0, 1).hosts(0).hosts(1, 2).build();
};

const std::string kFdbs =
    "dump_ucast_routes: Switch 0x0000000000000100\n"
    "LID    : Port : Hops : Optimal\n"
    "0x0003 : 002  : 01   : yes\n"
    "0x0004 : UNREACHABLE\n"
    "0x0005 : 001  : 02   : No 2 hop path possible via port 1!\n"
    "\n"
    "osm_ucast_mgr_dump_ucast_routes: Switch 0x0000000000000101\n"
    "LID    : Port : Hops : Optimal\n"
    "0x0003 : 001  : HOPS UNKNOWN\n";

TEST_F(DumpRead, ReadsFdbsOfTwoSwitches) {
  const auto read = lfts(kFdbs);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->port(SwitchId(0), Lid(3)), PortNum(2));
  EXPECT_EQ(read->port(SwitchId(0), Lid(4)), kNoRoute);
  EXPECT_EQ(read->port(SwitchId(0), Lid(5)), PortNum(1));
  EXPECT_EQ(read->port(SwitchId(1), Lid(3)), PortNum(1));
  EXPECT_THAT(warnings_.take(), ElementsAre());
}

const std::string kIbroute =
    "Unicast lids [0x0-0x5] of switch Lid 1 guid 0x0000000000000100 (a (strange) GUID=0x1 name):\n"
    "  Lid  Out   Destination\n"
    "       Port     Info \n"
    "0x0001 000 : (Switch portguid 0x0000000000000100: 'S0')\n"
    "0x0004 001 : (Channel Adapter portguid 0x0000000000010011: 'H1')\n";

TEST_F(DumpRead, ReadsOutputOfIbrouteThatEndsInAnError) {
  const auto read = lfts(kIbroute + "ibroute: iberror: failed: dump tables\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->port(SwitchId(0), Lid(1)), PortNum(0));
  EXPECT_EQ(read->port(SwitchId(0), Lid(4)), PortNum(1));
  EXPECT_EQ(read->port(SwitchId(0), Lid(5)), kNoRoute);
  EXPECT_THAT(warnings_.take(),
              ElementsAre(HasSubstr("dump:6: skipped: 'ibroute: iberror: failed: dump tables'"),
                          HasSubstr("no table for switch 'S1'")));
}

TEST_F(DumpRead, ReadsAFolderOfTables) {
  std::filesystem::create_directory(folder_ / "tables");
  file(kIbroute, "tables/1");
  file(
      "Unicast lids [0-5] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000000000101 ('S1'):\n"
      "0x0001 001 # Switch portguid 0x0000000000000100: 'S0'\n5 lids dumped\n",
      "tables/2");
  file("hello\n", "tables/3");
  const auto read = read_lfts(fabric_, folder_ / "tables", warnings_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->port(SwitchId(0), Lid(4)), PortNum(1));
  EXPECT_EQ(read->port(SwitchId(1), Lid(1)), PortNum(1));
  EXPECT_THAT(warnings_.take(), ElementsAre(HasSubstr("tables/3:1: skipped: 'hello'"),
                                            HasSubstr("tables/3: contains no forwarding table")));
}

TEST_F(DumpRead, ReadsRowsOfPortsNumberedFromZero) {
  const auto read = lfts("0: 255 0 0 1 255\n0: 0\n1: 255 0 1 0 1 2\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->port(SwitchId(0), Lid(3)), PortNum(2));
  EXPECT_EQ(read->port(SwitchId(0), Lid(4)), kNoRoute);
  EXPECT_EQ(read->port(SwitchId(0), Lid(5)), PortNum(1));
  EXPECT_EQ(read->port(SwitchId(1), Lid(5)), PortNum(3));
  EXPECT_EQ(lfts_error("0: 1 2\n2: 1 2\n"),
            "dump:2: row of switch 2, but the fabric has 2 switches");
  EXPECT_EQ(lfts_error("0: 1 x\n"), "dump:1: found 'x', expected \"PORT PORT ..\"");
}

TEST_F(DumpRead, WarnsOfEntriesThatAreNotInTheFabric) {
  const auto read = lfts(
      "dump_ucast_routes: Switch 0x0000000000000999\n"
      "0x0003 : 001  : 01   : yes\n"
      "dump_ucast_routes: Switch 0x0000000000000100\n"
      "0x0003 : 044  : 01   : yes\n"
      "0x0009 : 001  : 01   : yes\n"
      "0x0003 : 002  : 01   : yes\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->port(SwitchId(0), Lid(3)), PortNum(2));
  EXPECT_THAT(warnings_.take(),
              ElementsAre(HasSubstr("dump:1: no switch 0x0000000000000999 in the fabric"),
                          HasSubstr("dump:4: LID 3: found output port 44 of switch 'S0' "
                                    "(0x0000000000000100), which has 8 ports"),
                          HasSubstr("dump:5: LID 9 is not assigned in the fabric"),
                          HasSubstr("dump:6: LID 3 of switch 'S0' (0x0000000000000100): found "
                                    "output port 2, but port 44 on an earlier line"),
                          HasSubstr("no table for switch 'S1'")));
}

TEST_F(DumpRead, WarnsOfAnOutdatedDump) {
  ASSERT_TRUE(
      lfts("Unicast lids [0x0-0x5] of switch Lid 7 guid 0x0000000000000100 (S0):\n"
           "0x0003 002 : (Channel Adapter portguid 0x0000000000777777: 'H7')\n"));
  EXPECT_THAT(
      warnings_.take(),
      ElementsAre(HasSubstr("dump:1: switch 'S0' (0x0000000000000100) has LID 7 here and 1"),
                  HasSubstr("dump:2: LID 3 belongs to port 0x0000000000777777 here and to 'H0'"),
                  HasSubstr("no table for switch 'S1'")));
}

TEST_F(DumpRead, RejectsTruncatedLines) {
  EXPECT_EQ(lfts_error("dump_ucast_routes: Switch 0x0000000000000100\n0x0003 : 00"),
            "dump:2: found '0x0003 : 00', expected \"0xLID : PORT : ..\"");
  EXPECT_EQ(lfts_error("dump_ucast_routes: Switch \n"),
            "dump:1: found 'dump_ucast_routes: Switch ', expected the GUID of a switch after "
            "\"Switch \"");
  EXPECT_EQ(lfts_error(kIbroute + "0x0005 01"),
            "dump:6: found '0x0005 01', expected \"0xLID PORT ..\"");
  EXPECT_EQ(
      lfts_error("Unicast lids [0x0-0x5] of swi"),
      "dump:1: found 'Unicast lids [0x0-0x5] of swi', expected \"Unicast lids [..] of switch .. "
      "guid 0xGUID (NAME):\"");
}

TEST_F(DumpRead, RejectsFilesWithoutTables) {
  EXPECT_THAT(lfts_error("hello\nworld\n"),
              HasSubstr("dump: contains no forwarding table, expected"));
  EXPECT_THAT(lfts_error(""), HasSubstr("contains no forwarding table"));
  EXPECT_EQ(lfts_error("dump_ucast_routes: Switch 0x0000000000000999\n"),
            "dump: found 1 unicast tables, none of them of a switch of the fabric");
  EXPECT_EQ(lfts_error("Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0x100 (S0):\n"
                       "0xc000  x x\n"),
            "dump: found only multicast tables, expected unicast tables");
  const auto missing = read_lfts(fabric_, folder_ / "nowhere", warnings_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kEnvironment);
}

TEST_F(DumpRead, SkipsMulticastTables) {
  const auto read = lfts(kIbroute +
                         "Multicast mlids [0xc000-0xc3ff] of switch Lid 1 guid 0x100 (S0):\n"
                         "0xc000  x x\n");
  EXPECT_TRUE(read) << read.error().message;
}

TEST_F(DumpRead, ReadsMcFdbs) {
  const auto read = read_mfts(fabric_,
                              file("\nSwitch 0x0000000000000101\nLID    : Out Port(s)\n"
                                   "0xC000 : 0x001  0x003 \n0xC001 : 0x00C \n"),
                              warnings_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at(Lid(0xC000)).at(SwitchId(1)), PortMask(0b1010));
  EXPECT_THAT(warnings_.take(),
              ElementsAre(HasSubstr("dump:5: found output port 12 of switch 'S1'")));
  EXPECT_TRUE(read_mfts(fabric_, file(""), warnings_)->empty());
  for (const char* bad : {"Switch 0x101\n0x0001 : 0x001\n", "0xC000 : 0x001\n", "Switch x\n",
                          "Switch 0x101\n0xC000 : 0x1\n", "Switch 0x999\n0xC000 : 0x001\n"})
    EXPECT_FALSE(read_mfts(fabric_, file(bad), warnings_)) << bad;
}

TEST_F(DumpRead, ReadsPathSls) {
  const auto read = read_psl(
      fabric_, file("# by hand\n0x0000000000010000 4 3\n0x0000000000010000 5 15\n0x10010 3 2\n"),
      warnings_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->sl(SwitchId(0), SwitchId(1), Lid(4)), Sl(3));
  EXPECT_EQ(read->sl(SwitchId(0), SwitchId(1), Lid(5)), Sl(15));
  EXPECT_EQ(read->sl(SwitchId(1), SwitchId(0), Lid(3)), Sl(2));
  EXPECT_EQ(read->sl(SwitchId(1), SwitchId(1), Lid(4)), Sl(0));
  const auto clash = read_psl(fabric_, file("0x10010 3 2\n0x10020 3 1\n"), warnings_);
  ASSERT_FALSE(clash);
  EXPECT_THAT(
      clash.error().message,
      HasSubstr(
          "dump:2: SL 1 from 0x0000000000010020 to LID 3, but an earlier line has SL 2 for a"));
  for (const char* bad : {"0x10010 3 16\n", "0x10010 3\n", "x 1 1\n", "0x10010 3 1 1\n",
                          "0x10010 70000 1\n", "0x999 3 1\n"})
    EXPECT_FALSE(read_psl(fabric_, file(bad), warnings_)) << bad;
}

TEST_F(DumpRead, ReadsPathSlsOfSwitchesForPortZero) {
  const auto read =
      read_psl(fabric_, file("0x10000 4 3\n0x100 1 2\n0x100 4 3\n0x101 3 7\n"), warnings_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->sl(SwitchId(0), SwitchId(0), Lid(1)), Sl(2));
  EXPECT_EQ(read->sl(SwitchId(0), SwitchId(1), Lid(4)), Sl(3));
  EXPECT_EQ(read->sl(SwitchId(1), SwitchId(0), Lid(3)), Sl(7));
  EXPECT_THAT(warnings_.take(), ElementsAre());
  const auto clash = read_psl(fabric_, file("0x10000 4 3\n0x100 4 2\n"), warnings_);
  ASSERT_FALSE(clash);
  EXPECT_THAT(clash.error().message,
              HasSubstr("SL 2 from 0x0000000000000100 to LID 4, but an earlier line has SL 3"));
}

TEST_F(DumpRead, ReadsMulticastSls) {
  const auto read = read_multicast_sl(fabric_, file("# two\n0xC000 3\n0xc001 15\n"), warnings_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, (std::map<Lid, Sl>{{Lid(0xC000), Sl(3)}, {Lid(0xC001), Sl(15)}}));
  for (const char* bad : {"0xC000 16\n", "0xBFFF 1\n", "0xC000\n", "C000 1\n", "0xC000 1 1\n",
                          "0xFFFF 1\n", "0xC000 1\n0xC000 1\n"}) {
    const auto refused = read_multicast_sl(fabric_, file(bad), warnings_);
    ASSERT_FALSE(refused) << bad;
    EXPECT_THAT(refused.error().message, HasSubstr("dump:")) << bad;
  }
}

TEST_F(DumpRead, UsesTheTableOfTheFirstEndNodeForAllEndNodes) {
  const std::string of_switch = "0 1 : 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
  const std::string of_ca = "0 0 : 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4\n";
  const std::string of_others = "0 0 : 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5 5\n";
  const auto read = read_slvl(
      fabric_,
      file("Switch 0x100, base LID 1, \"S0\"\n" + of_switch + "Switch 0x101, base LID 2, \"S1\"\n" +
           of_switch + "Channel Adapter 0x10001, base LID 3, \"H0\"\n" + of_ca +
           "Channel Adapter 0x10011, base LID 4, \"H1\"\n" + of_others +
           "Channel Adapter 0x10021, base LID 5, \"H2\"\n" + of_others),
      warnings_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->common()[0], 4);
  EXPECT_EQ(read->vl(SwitchId(0), PortNum(0), PortNum(1), Sl(0)), Vl(0));
  EXPECT_EQ(read->vl(SwitchId(1), PortNum(8), PortNum(8), Sl(15)), Vl(0));
  EXPECT_THAT(warnings_.take(),
              ElementsAre(HasSubstr("0x0000000000010011 has a table that differs from that of the "
                                    "first CA or router")));
}

TEST_F(DumpRead, AcceptsSwitchesWithoutSlToVlTables) {
  const Fabric alone = Tiny(1).build();
  const auto read =
      read_slvl(alone, file("Switch 0x100, base LID 1, \"S0\"\n#in out : 0\n"), warnings_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, Sl2Vl());
  EXPECT_THAT(warnings_.take(), ElementsAre());
  EXPECT_FALSE(read_slvl(alone, file("Switch 0x999, base LID 1, \"S9\"\n"), warnings_));
}

TEST_F(DumpRead, ReadsSl2VlTablesInBothFormats) {
  SlMap special = modulo_map(4);
  special[15] = 9;
  Sl2Vl want(modulo_map(4));
  want.set(SwitchId(0), PortNum(2), PortNum(1), special);
  Routes routes;
  routes.sl2vl = want;
  for (const auto write : {&write_slvl, &write_sl2vl}) {
    std::string text;
    write(fabric_, routes, [&](std::string_view piece) { text.append(piece); });
    const auto read = read_slvl(fabric_, file(text), warnings_);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, want);
  }
  EXPECT_THAT(warnings_.take(), ElementsAre());
  for (const char* bad :
       {"", "0x100 1 1 0x01\n", "0x100 1 1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n", "1 1 : 0\n",
        "Switch 0x100, base LID 1, \"S0\"\n1 1 : 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 16\n",
        "0x999 1 1 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n"})
    EXPECT_FALSE(read_slvl(fabric_, file(bad), warnings_)) << bad;
}

}  // namespace
}  // namespace weft
