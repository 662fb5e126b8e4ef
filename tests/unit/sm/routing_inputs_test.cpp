// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files of GUIDs for routing: parsing, and lines dropped with a warning.

#include <gtest/gtest.h>

#include "base/file.h"
#include "policy/routing_inputs.h"
#include "routing/ftree/ftree.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

class GuidFile : public testing::Test {
 protected:
  Result<std::vector<FiledGuid>> read(const std::string& text) {
    path_ = folder_ / "guids";
    EXPECT_TRUE(write_file(path_, text));
    return read_guid_file(path_, warnings_);
  }

  TempDir folder_;
  std::string path_;
  std::vector<std::string> warnings_;
};

TEST_F(GuidFile, ReadsOneGuidPerLine) {
  const auto guids = read("# compute nodes\n0x10001\n\n  10011  # the second\n");
  ASSERT_TRUE(guids);
  ASSERT_EQ(guids->size(), 2u);
  EXPECT_EQ((*guids)[0].guid, Guid(0x10001));
  EXPECT_EQ((*guids)[1].guid, Guid(0x10011));
  EXPECT_EQ((*guids)[1].place, path_ + ":4");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(GuidFile, DropsOtherLinesWithAWarning) {
  const auto guids = read("0x10001\nnode-7\n0x10000000000000000\n0x0\n0x10011 0x10021\n");
  ASSERT_TRUE(guids);
  EXPECT_EQ(guids->size(), 1u);
  ASSERT_EQ(warnings_.size(), 4u);
  EXPECT_EQ(warnings_[0],
            path_ + ":2: found 'node-7', expected a GUID in hex: the line is dropped");
  EXPECT_EQ(warnings_[3].find(path_ + ":5: found '0x10011 0x10021'"), 0u) << warnings_[3];
}

TEST_F(GuidFile, FailsOnAMissingFile) {
  const auto guids = read_guid_file(folder_ / "missing", warnings_);
  ASSERT_FALSE(guids);
  EXPECT_EQ(guids.error().code, Code::kEnvironment);
  EXPECT_NE(guids.error().message.find("missing"), std::string::npos) << guids.error().message;
}

//  S0 - S1 with two hosts each
TEST_F(GuidFile, ResolvesToPortsOfTheFabricAndWarnsOfOtherGuids) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0, 2).hosts(1, 2).build();
  RoutingInputs inputs;
  inputs.plain.parameters.set(kMaxReverseHops, 3);
  inputs.compute_nodes = *read("0x10021\n0x10001\n0x10021\n0x99\n0x100\n");
  inputs.io_nodes = {{Guid(0x10031), "io:1"}};
  const RoutingOptions options = resolve(inputs, fabric, warnings_);
  EXPECT_EQ(options.compute_nodes, (std::vector{*fabric.find_endport(Guid(0x10001)),
                                                *fabric.find_endport(Guid(0x10021))}));
  EXPECT_EQ(options.io_nodes, std::vector{*fabric.find_endport(Guid(0x10031))});
  EXPECT_EQ(options.parameters.of(kMaxReverseHops), 3u);
  ASSERT_EQ(warnings_.size(), 2u);
  EXPECT_EQ(warnings_[0],
            path_ + ":4: GUID 0x0000000000000099 is no CA or router port of this fabric");
  EXPECT_EQ(warnings_[1],
            path_ + ":5: GUID 0x0000000000000100 is no CA or router port of this fabric");
}

}  // namespace
}  // namespace weft
