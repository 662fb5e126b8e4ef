// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `emulator`: a client on a host sends one SMP at a time and checks the
// response. Time is virtual.
//
//   cmake --build --preset release --target emulator_tests
//   build/release/bin/emulator_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

// client.h has a drawing of two_switches(): H0 is at port 1 of S0, and {1} is the path from H0 to
// S0.
TEST(Example, GetOfNodeInfoReturnsTheGuidOfTheSwitch) {
  const Fabric fabric = two_switches();
  EmulatedFabric emulated(fabric);
  Client client(emulated, kH0);
  const auto answer = client.get(AttributeId::kNodeInfo, 0, {1});
  ASSERT_TRUE(answer);  // empty if no response arrived within kPatience
  EXPECT_EQ(answer->status, mad_status::kGood);
  EXPECT_EQ(decode_node_info(answer->data)->node_guid, fabric.node(kS0).node_guid);
  // Counters of the emulator show the SMPs that were sent.
  EXPECT_EQ(emulated.counters().requests(Method::kGet, AttributeId::kNodeInfo), 1u);
}

}  // namespace
}  // namespace weft
