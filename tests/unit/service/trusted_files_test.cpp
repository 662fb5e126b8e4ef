// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/trusted_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "base/file.h"
#include "service/config/key.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of(const Settings& settings) {
  const auto status = check_trusted_files(settings);
  return status ? "good" : status.error().message;
}

TEST(TrustedFiles, AreAllFilesThatTheManagerReads) {
  const std::set<std::string_view> written{"event_db_dump_file", "log_file",
                                           "history_file",       "pid_file",
                                           "sa_db_dump_file",    "virt_dump_file"};
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      if (!std::holds_alternative<Text>(key.value)) continue;
      const bool is_file = key.name.ends_with("_file") || key.name.ends_with("_folder") ||
                           key.name.ends_with("_config") || key.name.ends_with("_map_name") ||
                           key.name == "ppcc_algo_dir";
      EXPECT_EQ(key.is_trusted, is_file && !written.contains(key.name)) << key.name;
    }
}

TEST(TrustedFiles, AreRefusedIfOtherUsersCanWrite) {
  const TempDir folder;
  const std::string path = folder / "file";
  ASSERT_TRUE(write_file(path, "text"));
  for (const Section& section : sections())
    for (const Key& key : section.keys) {
      if (!key.is_trusted) continue;
      Settings settings;
      for (const Section& other : sections())  // the test must not depend on files of this machine
        for (const Key& one : other.keys)
          if (one.is_trusted) settings.*std::get<Text>(one.value).member = "";
      settings.*std::get<Text>(key.value).member = path;
      ::chmod(path.c_str(), 0644);
      EXPECT_EQ(refusal_of(settings), "good") << key.name;
      ::chmod(path.c_str(), 0666);
      EXPECT_THAT(refusal_of(settings),
                  AllOf(HasSubstr(std::string(key.name)), HasSubstr(path), HasSubstr("0666")));
    }
}

TEST(TrustedFiles, IncludeTheFilesOfAFolder) {
  const TempDir folder;
  const std::string path = folder / "algorithm";
  ASSERT_TRUE(write_file(path, "text"));
  Settings settings;
  settings.ppcc_algo_dir = folder.path();
  EXPECT_EQ(refusal_of(settings), "good");
  ::chmod(path.c_str(), 0666);
  EXPECT_THAT(refusal_of(settings), HasSubstr("ppcc_algo_dir: " + path));
}

TEST(TrustedFiles, IncludeEventPluginsGivenAsPaths) {
  const TempDir folder;
  const std::string path = folder / "plugin.so";
  ASSERT_TRUE(write_file(path, "text"));
  Settings settings;
  settings.event_plugin_name = "one," + path + " two";
  EXPECT_EQ(refusal_of(settings), "good");
  ::chmod(path.c_str(), 0777);
  EXPECT_THAT(refusal_of(settings), HasSubstr("event_plugin_name: " + path));
}

}  // namespace
}  // namespace weft
