// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `congestion`: the test has a fabric with minhop routes, a pattern of
// messages, and a load that can be computed by hand.
//
//   cmake --build --preset release --target congestion_tests
//   build/release/bin/congestion_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "support/tiny.h"
#include "unit/congestion/networks.h"

namespace weft {
namespace {

//  H0, H1 - S0 - S1 - H2, H3     one cable between the switches
TEST(Example, EqualSeedsGiveEqualRunsWithAnyNumberOfThreads) {
  const RoutedNetwork network = routed(Tiny(2).link(0, 1).hosts(0, 2).hosts(1, 2).build());
  const StudySpec bisect = study_of("bisect");  // random pairs of hosts in every run
  const Tally one = simulated(network, bisect, 50);
  const Tally three = simulated(network, bisect, 50, 3);
  ASSERT_EQ(one.results.size(), 50u);
  for (std::size_t run = 0; run < one.results.size(); ++run) {
    EXPECT_EQ(one.results[run].bandwidth, three.results[run].bandwidth) << "run " << run;
    // At most two pairs use the cable in one direction.
    EXPECT_GE(one.results[run].bandwidth, 0.5) << "run " << run;
  }
}

}  // namespace
}  // namespace weft
