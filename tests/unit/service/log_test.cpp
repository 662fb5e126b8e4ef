// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/log.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::Not;

class Logging : public testing::Test {
 protected:
  Logging() { settings_.log_file = folder_ / "weft.log"; }
  ~Logging() override { log_to_stderr(spdlog::level::warn); }
  std::string text() const { return read_file(settings_.log_file).value_or("unreadable"); }

  TempDir folder_;
  Settings settings_;
};

TEST_F(Logging, FlagsSelectTheLevels) {
  ASSERT_TRUE(open_log(settings_, {0x01}));
  spdlog::info("one");
  spdlog::error("two");
  EXPECT_THAT(text(), Not(HasSubstr("one")));
  EXPECT_THAT(text(), HasSubstr("two"));
  ASSERT_TRUE(open_log(settings_, {0x03}));
  spdlog::info("three");
  spdlog::debug("four");
  EXPECT_THAT(text(), HasSubstr("three"));
  EXPECT_THAT(text(), Not(HasSubstr("four")));
  EXPECT_THAT(text(), HasSubstr("two"));
  ASSERT_TRUE(open_log(settings_, {.flags = 0x03, .truncates_file = true}));
  EXPECT_EQ(text(), "");
}

TEST_F(Logging, TruncatesTheFileAtTheSizeLimit) {
  settings_.log_max_size = 1;
  ASSERT_TRUE(open_log(settings_, {0x03}));
  const std::string line(1000, 'x');
  for (int i = 0; i < 3000; ++i) spdlog::info("{} {}", i, line);
  EXPECT_LE(std::filesystem::file_size(settings_.log_file), 1u << 20);
  EXPECT_THAT(text(), HasSubstr("2999 x"));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder_.path()))
    ++files;
  EXPECT_EQ(files, 1u);
}

TEST_F(Logging, FailsIfANamedFileCannotBeOpened) {
  settings_.log_file = folder_ / "none/weft.log";
  std::filesystem::create_directories(folder_ / "none/weft.log");
  const auto status = open_log(settings_, {0x03});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kEnvironment);
  EXPECT_THAT(status.error().message, HasSubstr(settings_.log_file));
}

TEST_F(Logging, ModulesOverrideTheLevel) {
  settings_.per_module_logging_file = folder_ / "modules";
  ASSERT_TRUE(write_file(settings_.per_module_logging_file,
                         "# levels\nlog_test.cpp = 0x01\n\ntraps.cpp\t0xff # all\n"));
  ASSERT_TRUE(open_log(settings_, {0x03}));
  log::info("one");
  log::error("two");
  EXPECT_THAT(text(), Not(HasSubstr("one")));
  EXPECT_THAT(text(), HasSubstr("two"));
  EXPECT_THAT(text(), HasSubstr("modules:2: found module 'log_test.cpp', expected a source file"));
  EXPECT_TRUE(log::is_enabled(spdlog::level::debug, "/src/sm/traps.cpp"));
  EXPECT_FALSE(log::is_enabled(spdlog::level::debug, "/src/sm/mastership.cpp"));
  EXPECT_TRUE(log::is_enabled(spdlog::level::info, "mastership.cpp"));
  settings_.per_module_logging_file.clear();
  ASSERT_TRUE(open_log(settings_, {0x03}));
  log::info("three");
  EXPECT_THAT(text(), HasSubstr("three"));
}

TEST_F(Logging, ReportsInvalidModuleLines) {
  settings_.per_module_logging_file = folder_ / "modules";
  for (const char* line : {"traps.cpp", "traps.cpp 0x100", "traps.cpp all", "a b c", "= 1"}) {
    ASSERT_TRUE(write_file(settings_.per_module_logging_file, fmt::format("\n{}\n", line)));
    const auto status = open_log(settings_, {0x03});
    ASSERT_FALSE(status) << line;
    EXPECT_THAT(status.error().message, HasSubstr("modules:2: found")) << line;
  }
}

TEST(LogModules, ListTheSourcesThatLog) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(WEFT_SOURCE_DIR "/src")) {
    if (entry.path().extension() != ".cpp" || entry.path().parent_path().filename() == "base")
      continue;
    const std::string source = read_file(entry.path().string()).value();
    for (const char* call : {"log::error(", "log::warn(", "log::info(", "log::debug("})
      if (source.find(call) != std::string::npos) {
        found.push_back(entry.path().filename().string());
        break;
      }
  }
  std::ranges::sort(found);
  EXPECT_THAT(log_modules(), testing::ElementsAreArray(found));
}

}  // namespace
}  // namespace weft
