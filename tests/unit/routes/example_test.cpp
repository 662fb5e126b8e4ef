// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `routes`: the test sets forwarding tables entry by entry, and then follows
// a path or writes the tables.
//
//   cmake --build --preset release --target routes_tests
//   build/release/bin/routes_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "support/tiny.h"
#include "support/walks.h"

namespace weft {
namespace {

//  H0 - S0 - S1 - H1     port 1 of a switch is cabled to the other switch, port 2 to the host
TEST(Example, PacketFollowsTheForwardingTables) {
  const Fabric fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  const Endport& host = fabric.endport(host_at(fabric, kS1, 0));
  Lfts lfts(fabric.switch_count(), fabric.lid_top());  // every entry is kNoRoute
  EXPECT_FALSE(walk(fabric, lfts, 0, host, host.lid));
  lfts.set(kS0, host.lid, PortNum(1));
  lfts.set(kS1, host.lid, PortNum(2));
  // walk() uses ports and cables only, so that it detects errors of the code under test.
  const auto visited = walk(fabric, lfts, 0, host, host.lid);
  ASSERT_TRUE(visited);
  EXPECT_EQ(*visited, (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace weft
