// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `fabric`: a comment draws a small fabric, one expression builds it, and
// the test checks its cables and LIDs.
//
//   cmake --build --preset release --target fabric_tests
//   build/release/bin/fabric_tests --gtest_filter='Example.*'
#include <gmock/gmock.h>

#include "fabric/formats/read.h"
#include "support/errors.h"
#include "support/tiny.h"

namespace weft {
namespace {

//  H0 - S0 = S1 - H1     two cables between the switches
TEST(Example, TinyFabricHasCablesInTheOrderOfPorts) {
  // Each cable uses the next free port of both switches. Switches have the first LIDs, then hosts.
  const Fabric fabric = Tiny(2).link(0, 1, 2).hosts(0).hosts(1).build();
  EXPECT_EQ(fabric.link_count(), 4u);
  ASSERT_EQ(fabric.channels_from(kS0).size(), 2u);
  EXPECT_EQ(fabric.channels_from(kS0)[1].from_port, PortNum(2));
  EXPECT_EQ(fabric.endport(EndportId(2)).lid, Lid(3));  // H0; endports are in the order of LIDs
}

TEST(Example, ErrorNamesFileLineAndMissingText) {
  // HasError matches a Result with an error message that begins with "f:1:" and contains the text.
  EXPECT_THAT(read_fabric_text("{\n", "f", {.format = "lst", .ibnl_dir = ""}),
              HasError("f", 1, "no description"));
}

}  // namespace
}  // namespace weft
