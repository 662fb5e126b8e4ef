// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file guid2lid: its format, damaged lines, and writing.
#include "sm/lids/guid2lid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string put(const TempDir& folder, const std::string& text) {
  const std::string path = folder / "guid2lid";
  std::ofstream(path) << text;
  return path;
}

TEST(Guid2Lid, ReadsOpenSmsFormat) {
  TempDir folder;
  const auto path = put(folder,
                        "0x0000000000100004 0x0004 0x0004\n\n"
                        "0x000000000010000a 0x0008 0x000b\n\n");
  std::vector<std::string> warnings;
  const auto memory = read_guid2lid(path, warnings);
  ASSERT_TRUE(memory);
  EXPECT_TRUE(warnings.empty());
  EXPECT_THAT(*memory, ElementsAre(std::pair(Guid(0x100004), LidRange{Lid(4), 0}),
                                   std::pair(Guid(0x10000A), LidRange{Lid(8), 2})));
}

TEST(Guid2Lid, HasThePortNumbersOfPlanePortsWithOneGuid) {
  TempDir folder;
  const LidMemory memory{{{Guid(7), PortNum(1)}, {Lid(4), 0}},
                         {{Guid(7), PortNum(2)}, {Lid(6), 1}}};
  ASSERT_TRUE(write_guid2lid(folder / "guid2lid", memory));
  std::stringstream text;
  text << std::ifstream(folder / "guid2lid").rdbuf();
  EXPECT_EQ(text.str(),
            "0x0000000000000007 0x0004 0x0004 1\n\n0x0000000000000007 0x0006 0x0007 2\n\n");
  std::vector<std::string> warnings;
  EXPECT_EQ(*read_guid2lid(folder / "guid2lid", warnings), memory);
  EXPECT_TRUE(warnings.empty());
}

TEST(Guid2Lid, AMissingFileHasNoLids) {
  TempDir folder;
  std::vector<std::string> warnings;
  const auto memory = read_guid2lid(folder / "guid2lid", warnings);
  ASSERT_TRUE(memory);
  EXPECT_TRUE(memory->empty());
  EXPECT_TRUE(warnings.empty());
}

TEST(Guid2Lid, ADirectoryInPlaceOfTheFileIsAnError) {
  TempDir folder;
  ::mkdir((folder / "guid2lid").c_str(), 0755);
  std::vector<std::string> warnings;
  const auto memory = read_guid2lid(folder / "guid2lid", warnings);
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, Code::kEnvironment);
  EXPECT_THAT(memory.error().message, HasSubstr(folder / "guid2lid"));
}

TEST(Guid2Lid, ReportsAndDropsDamagedLines) {
  const struct {
    const char* line;
    const char* problem;
  } cases[] = {
      {"0x1 0x0005", "2 words"},
      {"0x1 0x0005 0x0005 1 2", "5 words"},
      {"0x1 0x0005 0x0005 0x0005", "'0x0005', expected a port number"},
      {"0x1 0x0005 0x0005 0", "'0', expected a port number"},
      {"0x1 0x0005 0x0005 255", "'255', expected a port number"},
      {"zebra 0x0005 0x0005", "'zebra'"},
      {"0x0 0x0005 0x0005", "'0x0'"},
      {"0x11112222333344445 0x0005 0x0005", "GUID in hex"},
      {"0x1 five 0x0005", "'five"},
      {"0x1 0x10005 0x10005", "LIDs in hex"},
      {"0x1 0x0000 0x0000", "unicast"},
      {"0x1 0xc000 0xc000", "unicast"},
      {"0x1 0x0006 0x0005", "aligned"},
      {"0x1 0x0005 0x0006", "aligned"},
      {"0x1 0x0008 0x000a", "aligned"},
      {"0x1 0x0100 0x01ff", "aligned"},
      {"\x01\xff\xfe\x02", "1 words"},
  };
  for (const auto& test : cases) {
    TempDir folder;
    const auto path =
        put(folder, std::string("\n") + test.line + "\n0x00000000000000aa 0x0007 0x0007\n");
    std::vector<std::string> warnings;
    const auto memory = read_guid2lid(path, warnings);
    ASSERT_TRUE(memory) << test.line;
    EXPECT_EQ(memory->size(), 1u) << test.line;
    EXPECT_TRUE(memory->contains(Guid(0xAA))) << test.line;
    ASSERT_EQ(warnings.size(), 1u) << test.line;
    EXPECT_THAT(warnings[0], HasSubstr(path + ":2: ")) << test.line;
    EXPECT_THAT(warnings[0], HasSubstr(test.problem)) << test.line;
  }
}

TEST(Guid2Lid, KeepsTheFirstOfOverlappingLines) {
  TempDir folder;
  const auto path = put(folder,
                        "0x1 0x0008 0x000b\n"
                        "0x2 0x000a 0x000a\n"    // inside the first range
                        "0x1 0x0020 0x0020\n"    // the first GUID again
                        "0x3 0x0008 0x000f\n");  // contains the first range
  std::vector<std::string> warnings;
  const auto memory = read_guid2lid(path, warnings);
  ASSERT_TRUE(memory);
  EXPECT_THAT(*memory, ElementsAre(std::pair(Guid(1), LidRange{Lid(8), 2})));
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_THAT(warnings[0], HasSubstr(":2: "));
  EXPECT_THAT(warnings[1], HasSubstr(":3: "));
  EXPECT_THAT(warnings[2], HasSubstr(":4: "));
}

RC_GTEST_PROP(Guid2Lid, ReadsBackTheWrittenLids, ()) {
  LidMemory memory;
  unsigned next = 128;
  const auto count = *rc::gen::inRange(0, 40);
  for (int i = 0; i < count; ++i) {
    const auto lmc = static_cast<std::uint8_t>(*rc::gen::inRange(0, 8));
    next = (next + (1u << lmc) - 1) >> lmc << lmc;
    memory[Guid(*rc::gen::nonZero<std::uint64_t>())] = {Lid(static_cast<std::uint16_t>(next)), lmc};
    next += 1u << lmc;
  }
  TempDir folder;
  RC_ASSERT(write_guid2lid(folder / "guid2lid", memory).has_value());
  std::vector<std::string> warnings;
  const auto read = read_guid2lid(folder / "guid2lid", warnings);
  RC_ASSERT(read.has_value());
  RC_ASSERT(warnings.empty());
  RC_ASSERT(*read == memory);
}

TEST(Guid2Lid, WritesNothingElseIntoTheFolder) {
  TempDir folder;
  ASSERT_TRUE(write_guid2lid(folder / "guid2lid", {{Guid(0x100004), {Lid(4), 0}}}));
  ASSERT_TRUE(write_guid2lid(folder / "guid2lid", {{Guid(0x100004), {Lid(6), 1}}}));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
    ++files;
  EXPECT_EQ(files, 1u);
  std::stringstream text;
  text << std::ifstream(folder / "guid2lid").rdbuf();
  EXPECT_EQ(text.str(), "0x0000000000100004 0x0006 0x0007\n\n");
}

TEST(Guid2Lid, ReportsAMissingFolder) {
  const auto status = write_guid2lid("/nonexistent/folder/guid2lid", {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kEnvironment);
  EXPECT_THAT(status.error().message, HasSubstr("/nonexistent/folder"));
}

}  // namespace
}  // namespace weft
