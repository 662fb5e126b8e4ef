// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_dir.h"

namespace {
int folders_synced = 0;
}  // namespace

/// Counts the folders that the program syncs.
extern "C" int fsync(int fd) {
  struct stat about {};
  if (::fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) ++folders_synced;
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

namespace weft {
namespace {

std::string all_lines(LineReader reader) {
  std::string joined;
  std::string_view line;
  while (true) {
    const auto has_line = reader.next(line);
    if (!has_line) return joined + "!" + has_line.error().message;
    if (!*has_line) return joined;
    joined += std::string(line) + "|";
  }
}

TEST(LineReader, ReturnsLinesWithoutLineEndsAndByteOrderMark) {
  EXPECT_EQ(all_lines(LineReader::over("\xEF\xBB\xBF"
                                       "a\r\nb\n\nlast",
                                       "x")),
            "a|b||last|");
  EXPECT_EQ(all_lines(LineReader::over("", "x")), "");
}

TEST(LineReader, RejectsALineLongerThanTheLimit) {
  const TempDir dir;
  const std::string path = dir / "endless.txt";
  ASSERT_TRUE(write_file(path, "ok\n" + std::string(LineReader::kLineMax * 2, 'x')));
  const std::string text = all_lines(std::move(*LineReader::open(path)));
  EXPECT_TRUE(text.starts_with("ok|!")) << text.substr(0, 100);
  EXPECT_NE(text.find("endless.txt:2: line is longer"), std::string::npos);
}

TEST(LineReader, ReadsGzipAndReportsDamage) {
  const TempDir dir;
  const std::string path = dir / "lines.gz";
  gzFile out = gzopen(path.c_str(), "wb");
  for (int i = 0; i < 50000; ++i) gzputs(out, ("line " + std::to_string(i) + "\n").c_str());
  gzclose(out);
  auto reader = LineReader::open(path);
  ASSERT_TRUE(reader);
  std::string_view line;
  std::size_t count = 0;
  while (reader->next(line).value()) ++count;
  EXPECT_EQ(count, 50000u);
  ASSERT_TRUE(reader->rewind());
  ASSERT_TRUE(reader->next(line).value());
  EXPECT_EQ(line, "line 0");

  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_NE(all_lines(std::move(*LineReader::open(path))).find("lines.gz"), std::string::npos);
}

TEST(LineReader, RefusesAbsentFilesAndFolders) {
  EXPECT_EQ(LineReader::open("/nowhere/x").error().code, Code::kEnvironment);
  EXPECT_NE(LineReader::open("/tmp").error().message.find("directory"), std::string::npos);
}

TEST(WriteFile, ReplacesTheWholeFileAndLeavesNoTemporaryFile) {
  const TempDir dir;
  const std::string path = dir / "f";
  ASSERT_TRUE(write_file(path, "old"));
  ASSERT_TRUE(write_file(path, "new", 0600));
  EXPECT_EQ(read_file(path).value(), "new");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
  EXPECT_EQ(write_file(dir / "no/such/folder", "x").error().code, Code::kEnvironment);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    files += entry.exists() ? 1 : 0;
  EXPECT_EQ(files, 1u);  // no temporary file remains
}

TEST(WriteFile, WritesToADeviceWithoutReplacingTheDevice) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const std::string device = ::ptsname(terminal);
  const auto written = write_file(device, "text");
  EXPECT_TRUE(written) << written.error().message;
  std::array<char, 16> received{};
  EXPECT_EQ(::read(terminal, received.data(), received.size()), 4);
  EXPECT_STREQ(received.data(), "text");
  struct stat info {};
  EXPECT_TRUE(::stat(device.c_str(), &info) == 0 && S_ISCHR(info.st_mode));
  ::close(terminal);
}

TEST(WriteFile, SyncsTheFolderAfterTheRename) {
  const TempDir dir;
  const int before = folders_synced;
  ASSERT_TRUE(write_file(dir / "f", "text"));
  EXPECT_EQ(folders_synced, before + 1);
}

TEST(WriteFile, UsesAnUnpredictableNameForTheTemporaryFile) {
  const TempDir dir;
  const auto temporary_name = [&](const std::string& path) {
    std::string name;
    EXPECT_TRUE(write_file(path, [&](const auto&) {
      for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
        if (entry.path().string().find(".new.") != std::string::npos) name = entry.path().string();
    }));
    return name;
  };
  const std::string first = temporary_name(dir / "f");
  EXPECT_TRUE(first.starts_with(dir / "f.new."));
  EXPECT_NE(first, temporary_name(dir / "f"));
  EXPECT_EQ(first.find(fmt::format(".new.{}", ::getpid())), std::string::npos);
}

}  // namespace
}  // namespace weft
