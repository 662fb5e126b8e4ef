// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An example of a test of `service`: it writes a file in a temporary folder, and checks the
// settings that are read from it.
//
//   cmake --build --preset release --target service_tests
//   build/release/bin/service_tests --gtest_filter='Example.*'
#include <gtest/gtest.h>

#include "base/file.h"
#include "service/config/config_file.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

TEST(Example, AKeyOfTheFileSetsItsSetting) {
  const TempDir folder;
  ASSERT_TRUE(write_file(folder / "opensm.conf", "lmc 2\n"));
  Settings settings;
  ConfigDiagnostics diagnostics;
  const Status read = read_config(folder / "opensm.conf", settings, diagnostics);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(settings.lmc, 2);
  EXPECT_TRUE(diagnostics.warnings.empty());
}

}  // namespace
}  // namespace weft
