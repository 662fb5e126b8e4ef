// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/secure_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/file.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string result_of_check(const std::string& path) {
  const auto status = check_only_owner_writes(path);
  return status ? "good" : status.error().message;
}

class SecurePath : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ / "a");
    std::ofstream(folder_ / "a/file") << "text";
    ::chmod((folder_ / "a").c_str(), 0755);
    ::chmod((folder_ / "a/file").c_str(), 0644);
  }
  const TempDir folder_;  // in /tmp, which has the sticky bit
};

TEST_F(SecurePath, AcceptsFilesOfTheOwnerInFoldersOfTheOwner) {
  EXPECT_EQ(result_of_check(folder_ / "a/file"), "good");
  EXPECT_EQ(result_of_check(folder_ / "a/../a/./file"), "good");
  EXPECT_EQ(result_of_check(folder_ / "a/missing"), "good");
  EXPECT_EQ(result_of_check("/etc/passwd"), "good");
  EXPECT_EQ(result_of_check("/dev/null"), "good");
}

TEST_F(SecurePath, RefusesFilesAndFoldersThatOthersCanWrite) {
  for (const unsigned mode : {0664u, 0646u, 0666u}) {
    ::chmod((folder_ / "a/file").c_str(), mode);
    EXPECT_THAT(
        result_of_check(folder_ / "a/file"),
        HasSubstr(fmt::format("can write it: found mode {:04o}, expected at most 0644", mode)));
  }
  ::chmod((folder_ / "a/file").c_str(), 0644);
  ::chmod((folder_ / "a").c_str(), 0777);
  EXPECT_THAT(result_of_check(folder_ / "a/file"),
              HasSubstr(folder_ / "a: users other than its owner"));
  ::chmod((folder_ / "a").c_str(), 01777);
  EXPECT_EQ(result_of_check(folder_ / "a/file"), "good");
}

TEST_F(SecurePath, ChecksLinksAndTheirTargets) {
  fs::create_directory(folder_ / "open");
  std::ofstream(folder_ / "open/file") << "text";
  ::chmod((folder_ / "open").c_str(), 0777);
  fs::create_symlink(folder_ / "open/file", folder_ / "a/link");
  EXPECT_THAT(result_of_check(folder_ / "a/link"), HasSubstr("/open: users other than its owner"));
  fs::create_symlink(folder_ / "a/file", folder_ / "open/link");
  EXPECT_THAT(result_of_check(folder_ / "open/link"),
              HasSubstr("/open: users other than its owner"));
  fs::create_symlink("../a", folder_ / "a/self");
  EXPECT_EQ(result_of_check(folder_ / "a/self/file"), "good");
  fs::create_symlink("round", folder_ / "a/round");
  EXPECT_EQ(result_of_check(folder_ / "a/round"),
            "good");  // a link to itself passes the check; the later open() fails
}

TEST_F(SecurePath, RefusesFilesOfOtherUsers) {
  constexpr uid_t kOther = 4711;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can change the owner of a file";
  ASSERT_EQ(::chown((folder_ / "a/file").c_str(), kOther, kOther), 0);
  EXPECT_THAT(result_of_check(folder_ / "a/file"), HasSubstr("found owner 4711, expected root"));
  ASSERT_EQ(::chown((folder_ / "a/file").c_str(), 0, 0), 0);
  ASSERT_EQ(::chown((folder_ / "a").c_str(), kOther, kOther), 0);
  EXPECT_THAT(result_of_check(folder_ / "a/file"), HasSubstr("/a: found owner 4711"));
  ASSERT_EQ(::chown((folder_ / "a").c_str(), 0, 0), 0);
  fs::create_symlink(folder_ / "a/file", folder_ / "a/link");
  ASSERT_EQ(::lchown((folder_ / "a/link").c_str(), kOther, kOther), 0);
  EXPECT_THAT(result_of_check(folder_ / "a/link"), HasSubstr("/a/link: found owner 4711"));
}

TEST_F(SecurePath, NewFilesDoNotReplaceExistingFiles) {
  const std::string folder = folder_ / "private";
  ASSERT_TRUE(write_new_file(folder, "one", "text"));
  EXPECT_EQ(read_file(folder + "/one").value(), "text");
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms(0700));
  EXPECT_EQ(fs::status(folder + "/one").permissions(), fs::perms(0600));
  const auto again = write_new_file(folder, "one", "other");
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("File exists"));
  EXPECT_EQ(read_file(folder + "/one").value(), "text");
  fs::create_symlink(folder_ / "elsewhere", folder + "/link");
  EXPECT_FALSE(write_new_file(folder, "link", "x"));
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
  for (const char* name : {"", ".", "..", "a/b", "../x"})
    EXPECT_FALSE(write_new_file(folder, name, "x"));
}

TEST_F(SecurePath, NewFilesNeedAPrivateFolder) {
  fs::create_directory(folder_ / "open");
  ::chmod((folder_ / "open").c_str(), 0777);
  EXPECT_FALSE(write_new_file(folder_ / "open", "x", "x"));
  EXPECT_FALSE(fs::exists(folder_ / "open/x"));
  fs::create_directory_symlink(folder_ / "a", folder_ / "link");
  EXPECT_FALSE(write_new_file(folder_ / "link", "x", "x"));
  EXPECT_FALSE(write_new_file(folder_ / "a/file", "x", "x"));
}

}  // namespace
}  // namespace weft
