// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "service/config/key.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ConfigFile : public testing::Test {
 protected:
  Status read(const std::string& text) {
    problems_ = {};
    path_ = folder_.path() + "/opensm.conf";
    EXPECT_TRUE(write_file(path_, text));
    return read_config(path_, settings_, problems_);
  }

  TempDir folder_;
  std::string path_;
  Settings settings_;
  ConfigDiagnostics problems_;
};

TEST_F(ConfigFile, ReadsBackWrittenSettings) {
  settings_.lmc = 2;
  settings_.guid = 0x2c90300001021;
  settings_.routing_engine = "ftree,updn";
  settings_.sweep_on_trap = false;
  settings_.verify = "warn";
  settings_.log_file = "/var/log/a name with blanks.log";
  const Settings before = settings_;
  const std::string text = config_text(settings_);
  settings_ = {};
  ASSERT_TRUE(read(text));
  EXPECT_EQ(settings_, before);
  EXPECT_THAT(problems_.warnings, IsEmpty());
  EXPECT_EQ(config_text(settings_), text);
}

TEST_F(ConfigFile, KeysAreUniqueAndHaveADescription) {
  std::set<std::string_view> names;
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      EXPECT_TRUE(names.insert(key.name).second) << key.name;
      EXPECT_FALSE(key.about.empty()) << key.name;
      EXPECT_EQ(find_key(key.name), &key);
    }
  EXPECT_EQ(find_key("lmc_"), nullptr);
}

bool accepts_any_text(const Key& key) {
  const auto* alias = std::get_if<Alias>(&key.value);
  return std::holds_alternative<Text>(key.value) ||
         (alias != nullptr && accepts_any_text(*find_key(alias->key)));
}

TEST_F(ConfigFile, KeysAcceptTheDefaultAndRejectInvalidValues) {
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      Settings settings;
      EXPECT_EQ(assign(settings, key, value_text(settings, key)).value_or("?"), "") << key.name;
      EXPECT_EQ(settings, Settings{}) << key.name;
      const auto wrong = assign(settings, key, "\x01 no such value");
      if (accepts_any_text(key)) continue;
      if (std::holds_alternative<Unsupported>(key.value)) {
        EXPECT_THAT(wrong.value_or(""), HasSubstr("has no effect")) << key.name;
      } else {
        ASSERT_FALSE(wrong) << key.name;
        const bool is_secret = key.secrecy == Secrecy::kAlways;
        EXPECT_THAT(wrong.error().message,
                    HasSubstr(is_secret ? "found " : "found '? no such value', "))
            << key.name;
      }
      EXPECT_EQ(settings, Settings{}) << key.name;
    }
}

TEST_F(ConfigFile, IgnoresCommentsBlanksAndLetterCase) {
  ASSERT_TRUE(
      read("# all\n\n\tlmc\t 0x3   # four\r\n  connect_roots true\nverify WARN\n"
           "log_file /tmp/a#b\nroot_guid_file (null)\n"));
  EXPECT_EQ(settings_.lmc, 3u);
  EXPECT_TRUE(settings_.connect_roots);
  EXPECT_EQ(settings_.verify, "warn");
  EXPECT_EQ(settings_.log_file, "/tmp/a#b");
  EXPECT_EQ(settings_.root_guid_file, "");
}

TEST_F(ConfigFile, ReportsAllErrorsAndChangesNothing) {
  const auto status = read(
      "lmc 8\n"
      "sm_priority\n"
      "  connect_roots maybe\n"
      "subnet_timeout 1 2\n"
      "verify never\n"
      "fdr10 3\n"
      "sweep_interval 30\n");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kBadInput);
  EXPECT_THAT(
      problems_.errors,
      ElementsAre(path_ + ":1:5: lmc: found '8', expected a number from 0 to 7",
                  path_ + ":2:1: sm_priority: found the end of the line, expected a value",
                  path_ + ":3:17: connect_roots: found 'maybe', expected TRUE or FALSE",
                  path_ + ":4:16: subnet_timeout: found '1 2', expected a number from 0 to 31",
                  path_ + ":5:8: verify: found 'never', expected enforce|warn|off",
                  path_ + ":6:7: fdr10: found '3', expected a number from 0 to 2"));
  for (const std::string& error : problems_.errors)
    EXPECT_THAT(status.error().message, HasSubstr(error));
  EXPECT_EQ(settings_, Settings{});
}

TEST_F(ConfigFile, WarnsAboutUnknownAndUnsupportedKeys) {
  ASSERT_TRUE(read("lmc 1\nno_such_key 5\nsingle_thread TRUE\nmax_wire_smps2 0x4\n"));
  EXPECT_EQ(settings_.lmc, 1u);
  EXPECT_THAT(
      problems_.warnings,
      ElementsAre(path_ + ":2:1: unknown key 'no_such_key'",
                  testing::StartsWith(path_ + ":3:15: single_thread: 'TRUE' has no effect: ")));
}

TEST_F(ConfigFile, AcceptsTheOptionsOfNewerOpenSm) {
  ASSERT_TRUE(read(
      "force_heavy_sweep_window -1\nmax_wire_smps_per_device 2\nclient_rereg_mode 0\n"
      "plugin_name (null)\nenhanced_missing_routes 2\nnvlink_enable TRUE\nhbf_seed 4294967295\n"
      "support_mlnx_enhanced_link TRUE\nadv_routing_engine_name (null)\n"));
  EXPECT_EQ(settings_.max_device_smps, 2u);
  EXPECT_TRUE(settings_.no_clients_rereg);
  EXPECT_TRUE(settings_.calculate_missing_routes);
  EXPECT_THAT(
      problems_.warnings,
      ElementsAre(testing::StartsWith(path_ + ":6:15: nvlink_enable: 'TRUE' has no effect: "),
                  testing::StartsWith(
                      path_ + ":8:28: support_mlnx_enhanced_link: 'TRUE' has no effect: ")));
  const std::string written = config_text(settings_);
  EXPECT_EQ(written.find("nvlink_enable"), std::string::npos);
  EXPECT_EQ(written.find("client_rereg_mode"), std::string::npos);
}

TEST_F(ConfigFile, ChecksTheValuesOfAliases) {
  ASSERT_FALSE(
      read("client_rereg_mode 3\nmax_wire_smps_per_device many\nrouting_threads_num 9999\n"));
  EXPECT_THAT(
      problems_.errors,
      ElementsAre(path_ + ":1:19: client_rereg_mode: found '3', expected 0|1|2",
                  path_ + ":2:26: max_wire_smps_per_device: found 'many', expected a number from 0 "
                          "to 1000000",
                  path_ + ":3:21: routing_threads_num: found '9999', expected a number from 0 to "
                          "1024"));
}

TEST_F(ConfigFile, FailsWithEnvironmentErrorIfTheFileIsMissing) {
  const auto status = read_config(folder_.path() + "/none", settings_, problems_);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kEnvironment);
}

}  // namespace
}  // namespace weft
