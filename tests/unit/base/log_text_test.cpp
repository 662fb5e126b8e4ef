// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/log.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

TEST(LogText, WritesAMessageAsOneLineWithoutControlCharacters) {
  const TempDir folder;
  ASSERT_TRUE(log_to_file({.path = folder / "log"}, spdlog::level::info));
  log::info("node '{}'", "a\nNov 25 12:00:00 000000 [1] E -> forged\x1b[2J\xC2\x9B");
  log_to_stderr(spdlog::level::warn);
  const std::string text = read_file(folder / "log").value();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_TRUE(
      text.ends_with("node 'a\\nNov 25 12:00:00 000000 [1] E -> forged\\x1b[2J\\xc2\\x9b'\n"))
      << text;
}

}  // namespace
}  // namespace weft
