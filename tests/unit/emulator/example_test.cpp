// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `emulator`: a client on a host sends one SMP at a time and looks at the
// answer, on a virtual clock.
//
//   cmake --build --preset release --target emulator_tests
//   build/release/bin/emulator_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "unit/emulator/client.h"

namespace weft {
namespace {

// two_switches() is drawn in client.h: H0 is behind port 1 of S0, and the path {1} leads to S0.
TEST(Example, AnSmpToASwitchIsAnsweredWithItsNodeInfo) {
  const Fabric fabric = two_switches();
  EmulatedFabric emulated(fabric);
  Client client(emulated, kH0);
  const auto answer = client.get(AttributeId::kNodeInfo, 0, {1});
  ASSERT_TRUE(answer);  // no answer within the client's patience would be empty
  EXPECT_EQ(answer->status, mad_status::kGood);
  EXPECT_EQ(decode_node_info(answer->data)->node_guid, fabric.node(kS0).node_guid);
  // Counters of the emulator show what crossed the wire.
  EXPECT_EQ(emulated.counters().requests(Method::kGet, AttributeId::kNodeInfo), 1u);
}

}  // namespace
}  // namespace weft
