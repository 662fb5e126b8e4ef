// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An example of a test of `sm`: the real subnet manager brings an emulated fabric up, a cable is
// cut, and the test checks the fabric again. Time is virtual: minutes take milliseconds.
//
//   cmake --build --preset release --target sm_tests
//   build/release/bin/sm_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "support/managed_subnet.h"

namespace weft {
namespace {

// doubled_tree() is drawn in support/tiny.h.
TEST(Example, ATrapOfACutCableCausesNewTables) {
  ManagedSubnet managed(doubled_tree());                      // the manager is on the first host
  managed.options.sweep_interval = std::chrono::seconds(10);  // options are set before start()
  managed.start();
  ASSERT_TRUE(managed.settle());  // runs until the manager has no more work
  expect_managed(managed);        // tables, LIDs, VLs and states are as published and verified
  managed.emulated().cut_cable(managed.cable_between(kS0, kS2));
  managed.run_for(10 * kSecond);
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.known().link_count(), managed.fabric().link_count() - 1);
  expect_managed(managed);
}

}  // namespace
}  // namespace weft
