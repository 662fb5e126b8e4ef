// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `verify`: the test sets correct tables without an engine, and then makes
// one entry wrong.
//
//   cmake --build --preset release --target verify_tests
//   build/release/bin/verify_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "support/tiny.h"
#include "verify/verify.h"

namespace weft {
namespace {

//  H0 - S0 - H1     one switch; its entries are port 0 for its own LID and the ports of its hosts
TEST(Example, AWrongPortIsReportedWithTheLid) {
  const Fabric fabric = Tiny(1).hosts(0, 2).build();
  Routes routes;
  routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  for (const Endport& endport : fabric.endports())
    routes.lfts.set(kS0, endport.lid, endport.sw_port);
  EXPECT_TRUE(verify(fabric, routes).ok());
  const Endport& second = fabric.endport(EndportId(2));
  routes.lfts.set(kS0, second.lid, PortNum(1));  // the port of the first host
  const Verdict verdict = verify(fabric, routes);
  EXPECT_FALSE(verdict.ok());
  ASSERT_FALSE(verdict.failures.empty());
  EXPECT_EQ(verdict.failures.front().lid, second.lid);
  EXPECT_EQ(verdict.failures.front().end, WalkEnd::kWrongEndport);
}

}  // namespace
}  // namespace weft
