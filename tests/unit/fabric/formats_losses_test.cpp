// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The properties of a fabric that a file format does not keep.
#include "fabric/formats/losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/fabric_of.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> lost_by(const std::string& format, const Fabric& fabric) {
  const auto writer = find_writer(format);
  EXPECT_TRUE(writer);
  const auto again = read_fabric_text(write_fabric_text(fabric, **writer), "f");
  EXPECT_TRUE(again) << again.error().message;
  return lost_properties(fabric, again->fabric);
}

TEST(LostProperties, ListPropertiesThatTheFormatDoesNotKeep) {
  const Fabric fabric = fabric_of("ring:n=3");
  EXPECT_THAT(lost_by("json", fabric), IsEmpty());
  // 12 ports have cables; the text of ibnetdiscover does not contain their MTU.
  EXPECT_THAT(lost_by("ibnetdiscover", fabric), ElementsAre("the MTU of 12 ports"));
  EXPECT_THAT(lost_properties(fabric, fabric_of("ring:n=4")),
              testing::Contains(HasSubstr("the cables of")));
  EXPECT_THAT(lost_properties(fabric_of("ring:n=4"), fabric), testing::Contains("2 nodes"));
}

}  // namespace
}  // namespace weft
