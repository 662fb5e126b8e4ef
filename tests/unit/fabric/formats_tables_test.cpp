// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of file formats with the readers and writers, the recognition of formats, compressed
// and unreadable files, and the limit on warnings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <set>
#include <string>

#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

using testing::HasSubstr;

const std::string kTiny =
    "Switch 8 \"S-1\" # \"a\"\n[1] \"H-2\"[1]\nCa 1 \"H-2\" # \"b\"\n[1](2) \"S-1\"[1]\n";

TEST(Formats, HaveUniqueNames) {
  std::set<std::string_view> names;
  for (const ReadFormat& format : read_formats()) EXPECT_TRUE(names.insert(format.name).second);
  EXPECT_TRUE(names.contains("ibnetdiscover"));
  std::set<std::string_view> extensions;
  names.clear();
  for (const WriteFormat& format : write_formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    EXPECT_TRUE(extensions.insert(format.extension).second);
    EXPECT_EQ(*find_writer(format.name), &format);
    EXPECT_EQ(*find_writer("some/file" + std::string(format.extension)), &format);
  }
}

TEST(Formats, ReadersRecognizeTheOutputOfWriters) {
  const Fabric fabric = read_fabric_text(kTiny, "f")->fabric;
  for (const char* const name : {"json", "ibnetdiscover", "dot"})
    EXPECT_EQ(read_fabric_text(write_fabric_text(fabric, **find_writer(name)), "f")->format, name);
}

TEST(Formats, ReportAnUnknownName) {
  EXPECT_EQ(find_writer("x.doc").error().code, Code::kUsage);
  EXPECT_THAT(find_writer("x.doc").error().message, HasSubstr("ibsim (*.net)"));
  const auto named = read_fabric_text(kTiny, "f", {"word", ""});
  EXPECT_EQ(named.error().code, Code::kUsage);
  EXPECT_THAT(named.error().message, HasSubstr("unknown format 'word', expected one of"));
  for (const std::string text : {"hello\n",
                                 "\x7f"
                                 "ELF\x02\x01\x01\n",
                                 "{\"a\": 1}\n"}) {
    const auto got = read_fabric_text(text, "f");
    EXPECT_EQ(got.error().code, Code::kBadInput);
    EXPECT_THAT(got.error().message, HasSubstr("f:1: the content is of no known format"));
  }
  EXPECT_EQ(read_fabric_text("", "f").error().message, "f: the file is empty");
}

TEST(Formats, GivenFormatOverridesTheContent) {
  const auto got = read_fabric_text(kTiny, "f", {"ibsim", ""});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->format, "ibsim");
}

TEST(Formats, AreReadFromGzipAndFromAPipe) {
  const TempDir dir;
  const std::string path = dir / "tiny.gz";
  gzFile out = gzopen(path.c_str(), "wb");
  gzwrite(out, kTiny.data(), static_cast<unsigned>(kTiny.size()));
  gzclose(out);
  EXPECT_EQ(read_fabric(path)->fabric.link_count(), 1u);

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], kTiny.data(), kTiny.size()), static_cast<ssize_t>(kTiny.size()));
  close(ends[1]);
  const auto piped = read_fabric("/dev/fd/" + std::to_string(ends[0]));
  close(ends[0]);
  ASSERT_TRUE(piped) << piped.error().message;
  EXPECT_EQ(piped->fabric.link_count(), 1u);
}

TEST(Formats, ReportTheFileThatCannotBeRead) {
  EXPECT_EQ(read_fabric("/nowhere/x").error().code, Code::kEnvironment);
  EXPECT_THAT(read_fabric("/nowhere/x").error().message, HasSubstr("/nowhere/x"));
  EXPECT_EQ(read_fabric("/tmp").error().code, Code::kEnvironment);
  const TempDir dir;
  const std::string path = dir / "cut.gz";
  gzFile out = gzopen(path.c_str(), "wb");
  for (int i = 0; i < 20000; ++i) gzprintf(out, "# %d\n", i * 7919);
  gzputs(out, kTiny.c_str());
  gzclose(out);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto got = read_fabric(path);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::kBadInput);
  EXPECT_THAT(got.error().message, HasSubstr("cut.gz"));
}

TEST(Warnings, AreLimitedInNumber) {
  Warnings warnings;
  for (std::size_t i = 0; i < Warnings::kMax + 5; ++i) warnings.add("w");
  const auto lines = warnings.take();
  EXPECT_EQ(lines.size(), Warnings::kMax + 1);
  EXPECT_EQ(lines.back(), "5 more warnings are left out");
}

}  // namespace
}  // namespace weft
