// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `report`: a layout is a plain value. Tests compare the layout before text
// is made from it.
//
//   cmake --build --preset release --target report_tests
//   build/release/bin/report_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "report/layout.h"
#include "support/tiny.h"

namespace weft {
namespace {

//  S0 - S1     each switch must have a different position
//  |     |
//  S3 - S2
TEST(Example, SwitchesOfARingHaveDistinctPositions) {
  const SwitchGraph graph = make_switch_graph(ring_of_four());
  const Layout layout = lay_out(graph);
  ASSERT_EQ(layout.x.size(), 4u);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_TRUE(layout.x[a] != layout.x[b] || layout.y[a] != layout.y[b]) << a << " and " << b;
}

}  // namespace
}  // namespace weft
