// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files of multicast groups: parsing, and the error for each invalid line.

#include "policy/group_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GroupFile : public testing::Test {
 protected:
  std::string file(std::string_view content) {
    const std::string path = dir_.path() + "/groups";
    CHECK(write_file(path, content).has_value());
    return path;
  }
  std::string problem(std::string_view content) {
    const std::string path = file(content);
    return error_in(path, read_groups(path));
  }

  //  S0 - S1 cabled at port 1, H0 and H1 at port 2 of S0 and S1; a port GUID is its node GUID + 1
  const Fabric fabric_ = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  TempDir dir_;
};

TEST_F(GroupFile, NamesMembersAndSendOnlyPorts) {
  const Guid h0 = fabric_.port(fabric_.endport(EndportId(2)).port).guid;
  const Guid h1 = fabric_.port(fabric_.endport(EndportId(3)).port).guid;
  const auto groups =
      read_groups(file(fmt::format("# all\n0xC001 0x{0:x} {1:x} 0x{0:x} send 0x{1:x} # twice\n"
                                   "\n49152 0x100 send 0x{0:x}\n0xC002 0x999\n",
                                   h0.value(), h1.value())));
  ASSERT_TRUE(groups) << groups.error().message;
  std::vector<std::string> warnings;
  const auto found = resolve_groups(*groups, fabric_, warnings);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (MulticastGroup{Lid(0xC000), {EndportId(0)}, {EndportId(2)}}));
  EXPECT_EQ(found[1], (MulticastGroup{Lid(0xC001), {EndportId(2), EndportId(3)}, {}}));
  EXPECT_THAT(warnings,
              ElementsAre(HasSubstr(":5: port GUID 0x0000000000000999 is not in this fabric")));
}

TEST_F(GroupFile, ReportsLineAndColumnOfAnError) {
  EXPECT_EQ(problem("0xC000 0x1\n0xBFFF 0x1\n"),
            ":2:1: found '0xBFFF', expected a multicast LID from 0xC000 to 0xFFFE");
  EXPECT_EQ(problem("0xFFFF 0x1\n"),
            ":1:1: found '0xFFFF', expected a multicast LID from 0xC000 to 0xFFFE");
  EXPECT_THAT(
      problem("0xC000 0x1\n\n0xC000 0x2\n"),
      HasSubstr(":3:1: found '0xC000', expected a multicast LID that no earlier line has; see "));
  EXPECT_EQ(problem("0xC000 0x1 host\n"),
            ":1:12: found 'host', expected a port GUID in hex, or 'send' once");
  EXPECT_EQ(problem("0xC000 0x1 send 0x2 send 0x3\n"),
            ":1:21: found 'send', expected a port GUID in hex, or 'send' once");
  EXPECT_EQ(problem("0xC000 0\n"), ":1:8: found '0', expected a port GUID in hex, or 'send' once");
  EXPECT_THAT(problem("0xC000\n"), HasSubstr("expected the port GUID of a member in hex"));
  EXPECT_THAT(problem("0xC000 send 0x1\n"),
              HasSubstr(":1:8: found 'send', expected the port GUID of a member in hex"));
}

TEST_F(GroupFile, ReportsAMissingFileByName) {
  const auto result = read_groups(dir_.path() + "/absent");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kEnvironment);
  EXPECT_THAT(result.error().message, HasSubstr("absent"));
}

}  // namespace
}  // namespace weft
