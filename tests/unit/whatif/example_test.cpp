// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `whatif`: the test has routes and a failure, and checks the losses. A
// function of the test routes the remaining fabric.
//
//   cmake --build --preset release --target whatif_tests
//   build/release/bin/whatif_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "routing/minhop.h"
#include "support/walks.h"
#include "verify/verify.h"
#include "whatif/what_if.h"

namespace weft {
namespace {

// two_by_two() is drawn in support/tiny.h: leaves with hosts, and the spines S2 and S3.
TEST(Example, FailureOfOneOfTwoSpinesCutsPairsButLosesNone) {
  const Fabric fabric = two_by_two(2);
  const auto routes = route_minhop(fabric, {});
  ASSERT_TRUE(routes);
  const auto reroute = [](const Fabric& rest, const Routes&, Lfts) {
    Rerouted result;
    result.routes = route_minhop(rest, {}).value();
    result.verdict = verify(rest, result.routes);
    return result;
  };
  const std::vector<Failure> failures{{{kS2}, {}}};
  const auto losses = simulate_failures(fabric, *routes, verify(fabric, *routes).ca_to_ca.arrived,
                                        failures, reroute, {});
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_GT(losses[0].pairs_cut, 0u);   // with the old tables
  EXPECT_EQ(losses[0].pairs_lost, 0u);  // with new tables
}

}  // namespace
}  // namespace weft
