// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How to write a test of `base`: inputs are plain values, and an error is a value of type Result.
//
//   cmake --build --preset release --target base_tests
//   build/release/bin/base_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "base/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

TEST(Example, ReadsBackAFileAndNamesAnAbsentFileInTheError) {
  const TempDir folder;                             // removed at the end of the test
  ASSERT_TRUE(write_file(folder / "one", "text"));  // ASSERT: the next lines need the file
  EXPECT_EQ(read_file(folder / "one").value(), "text");
  // error_of() returns the message of a Result, or "no error". A message names the object.
  const std::string message = error_of(read_file(folder / "absent"));
  EXPECT_NE(message.find(folder / "absent"), std::string::npos) << message;
}

}  // namespace
}  // namespace weft
