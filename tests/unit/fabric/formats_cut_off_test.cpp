// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages about truncated files, and about files with tables instead of a fabric.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/formats/non_fabric_file.h"
#include "fabric/formats/read.h"
#include "unit/fabric/read_text.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> warnings_of(const std::string& text) {
  const auto got = read_fabric_text(text, "f");
  EXPECT_TRUE(got) << got.error().message;
  return got ? got->warnings : std::vector<std::string>();
}

// sw0 -- sw1
constexpr const char* kNet =
    "switchguid=0x10\nSwitch\t2 \"S-10\"\t# \"a\" base port 0 lid 1 lmc 0\n[1]\t\"S-20\"[1]\n\n"
    "switchguid=0x20\nSwitch\t2 \"S-20\"\t# \"b\" base port 0 lid 2 lmc 0\n[1]\t\"S-10\"[1]\n";

TEST(CutOff, AcceptsACompleteFileWithoutWarning) { EXPECT_THAT(warnings_of(kNet), IsEmpty()); }

TEST(CutOff, WarnsOfALastLineWithoutANewline) {
  std::string text = kNet;
  text.pop_back();
  EXPECT_THAT(
      warnings_of(text),
      ElementsAre("f:7: the last line has no newline at its end: the file may have been cut "
                  "off here"));
}

TEST(CutOff, AddsANoteToTheErrorOfTheLastLine) {
  const std::string text = std::string(kNet).substr(0, std::string(kNet).rfind("\"[1]") - 2);
  EXPECT_THAT(error_of(text), HasSubstr("f:7:"));
  EXPECT_THAT(
      error_of(text),
      HasSubstr("; the last line has no newline at its end: the file may have been cut off there"));
  EXPECT_THAT(error_of(text + "\n"), Not(HasSubstr("cut off")))
      << "no note if the last line ends in a newline";
}

TEST(CutOff, WarnsOfARecordThatHasNoNode) {
  EXPECT_THAT(warnings_of(std::string(kNet) + "\nswitchguid=0x30\n"),
              ElementsAre("f: the file ends in the record of node 0x0000000000000030, expected its "
                          "line Switch, Ca or Rt: it may have been cut off"));
}

TEST(CutOff, WarnsOfASectionWithoutAnEnd) {
  const std::string nodes =
      "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"a\",1,2,0x10\nEND_NODES\n";
  const std::string links = "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\nEND_LINKS\n";
  EXPECT_THAT(warnings_of(nodes + links), IsEmpty());
  EXPECT_THAT(warnings_of(nodes), ElementsAre(HasSubstr("the file has no section LINKS")));
  EXPECT_THAT(
      warnings_of(nodes + links + "START_CABLE_INFO\nx\n"),
      ElementsAre("f:9: the file ends in section CABLE_INFO, expected END_CABLE_INFO: it may "
                  "have been cut off"));
  EXPECT_THAT(error_of(nodes + links.substr(0, links.size() - 11)),
              HasSubstr("expected END_LINKS"));
}

TEST(OtherFile, KindIsNamedInTheError) {
  EXPECT_THAT(error_of("Unicast lids [0-14] of switch Lid 1 guid 0x0010000000000001 ('leaf'):\n"
                       "0x0001 000 # Switch\n"),
              HasSubstr("f: found a dump of forwarding tables, expected a fabric (json, "));
}

TEST(OtherFile, DistinguishesTablesOfNumbers) {
  EXPECT_EQ(describe_non_fabric_file("0x0020000000000010 7 0\n"), "a file of path SLs (weft.psl)");
  EXPECT_EQ(
      describe_non_fabric_file("0x0010000000000001 0 1 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00\n"),
      "a file of SL2VL tables (weft.slvl)");
  EXPECT_EQ(describe_non_fabric_file("0x0010000000000001 0x0001 0x0001\n"),
            "a file of LIDs by GUID (guid2lid)");
  EXPECT_EQ(describe_non_fabric_file("17: 255 0 1 2 3\n"),
            "a file of forwarding tables (rows of ports)");
  EXPECT_EQ(describe_non_fabric_file("1 2 3\n"), "");
  EXPECT_EQ(describe_non_fabric_file(kNet), "");
  EXPECT_EQ(describe_non_fabric_file(""), "");
}

}  // namespace
}  // namespace weft
