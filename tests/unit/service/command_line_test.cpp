// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "service/config/key.h"

namespace weft {
namespace {

std::vector<CommandOption> all_options() {
  std::vector<CommandOption> all;
  for (const auto& some : {routing_command_options(), manager_command_options()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

TEST(CommandLine, EachOptionSetsAnExistingKeyAndNamesAreUnique) {
  std::set<std::string_view> names;
  for (const CommandOption& option : all_options()) {
    ASSERT_NE(find_key(option.key), nullptr) << option.names;
    for (const std::string_view name : split(option.names, ','))
      EXPECT_TRUE(names.insert(name).second) << name;
  }
}

TEST(CommandLine, FixedValuesAreValidForTheirKeys) {
  for (const CommandOption& option : all_options()) {
    if (option.fixed.empty()) continue;
    Settings settings = default_settings();
    const Key& key = *find_key(option.key);
    ASSERT_TRUE(assign(settings, key, option.fixed)) << option.names;
    EXPECT_NE(settings, default_settings()) << option.names;
  }
}

TEST(CommandLine, LastOptionAppliesAndErrorsNameTheOption) {
  Settings settings;
  settings.lmc = 1;
  std::vector<std::string> warnings;
  ASSERT_TRUE(
      assign_all({{"--lmc", "lmc", "2"}, {"--lmc", "lmc", "3"}, {"-d 1", "single_thread", "TRUE"}},
                 settings, warnings));
  EXPECT_EQ(settings.lmc, 3u);
  EXPECT_THAT(warnings, testing::ElementsAre(testing::StartsWith("-d 1: 'TRUE' has no effect")));
  const auto status = assign_all({{"--lmc", "lmc", "9"}}, settings, warnings);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kUsage);
  EXPECT_EQ(status.error().message, "--lmc: found '9', expected a number from 0 to 7");
}

}  // namespace
}  // namespace weft
