// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `routing`. An engine gets a fabric and typed options. The verifier checks
// its routes, and the test states one entry of a small fabric.
//
//   cmake --build --preset release --target routing_tests
//   build/release/bin/routing_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "routing/minhop.h"
#include "support/fabrics.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

// two_by_two() is drawn in support/tiny.h: two leaves with hosts from port 3 on, two spines.
TEST(Example, EntryOfAHostOnTheSameLeafIsThePortOfTheHost) {
  const Fabric fabric = two_by_two(2);
  const auto routes = route_minhop(fabric, {});
  ASSERT_TRUE(routes) << routes.error().message;
  EXPECT_EQ(entry(fabric, *routes, kS0, host_at(fabric, kS0, 1)), PortNum(4));
}

// A property holds on every shape of fabric: kSmallSpecs has small fabrics of many generators.
TEST(Example, EveryHostReachesEveryHostOnEveryShape) {
  for (const char* const spec : kSmallSpecs) {
    const Fabric fabric = fabric_of(spec);
    const auto routes = route_minhop(fabric, {});
    ASSERT_TRUE(routes) << spec;
    EXPECT_TRUE(verify(fabric, *routes).ca_to_ca.all()) << spec;  // the failure names the fabric
  }
}

}  // namespace
}  // namespace weft
