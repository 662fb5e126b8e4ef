// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `exports`: these tests compare small texts in full. For whole files,
// tests/interop/export_test.py runs the programs that read the files.
//
//   cmake --build --preset release --target exports_tests
//   build/release/bin/exports_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "exports/hostlist.h"

namespace weft {
namespace {

TEST(Example, ConsecutiveNamesBecomeARange) {
  EXPECT_EQ(compress_hostlist({"node1", "node2", "node3", "login"}), "login,node[1-3]");
}

}  // namespace
}  // namespace weft
