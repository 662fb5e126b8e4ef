// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Damaged input: every sample of at most 1 MB with random damage is read or rejected with a
// message, in less than a second, and never crashes the program.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/file.h"
#include "base/rng.h"
#include "fabric/formats/read.h"
#include "fabric/formats/write.h"
#include "support/cpu_watch.h"

namespace weft {
namespace {

/// The text with a few bytes changed, dropped or duplicated, or with the end truncated.
std::string damaged(std::string text, Rng& rng) {
  const std::uint64_t edits = 1 + rng.below(8);
  for (std::uint64_t i = 0; i < edits && !text.empty(); ++i) {
    const std::size_t at = rng.below(text.size());
    const std::size_t length = 1 + rng.below(40);
    switch (rng.below(6)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(rng.below(text.size()), length));
        break;
      case 3:
        text.insert(at, length, "\"[](){}#=\n\t0-"[rng.below(13)]);
        break;
      case 4:
        text[at] = static_cast<char>('0' + rng.below(10));
        break;
      default:
        if (rng.chance(0.1)) text.resize(at);
    }
  }
  return text;
}

/// `path` is the file name of the text; files that the text includes are in the same folder.
void expect_read_or_refused(const std::string& text, std::uint64_t seed, std::size_t times,
                            const std::string& path = "f") {
  const Rng origin(seed);
  for (std::size_t i = 0; i < times; ++i) {
    Rng rng = origin.fork(i);
    const std::string damage = damaged(text, rng);
    const CpuWatch watch;
    const auto got = read_fabric_text(damage, path);
    EXPECT_LT(watch.seconds(), 1.0) << "seed " << seed << " fork " << i;
    if (got) {
      EXPECT_GT(got->fabric.node_count(), 0u);
    } else {
      EXPECT_TRUE(got.error().message.starts_with(path + ":")) << got.error().message;
    }
  }
}

const std::set<std::string> kReadable{"ibnetdiscover", "ibsim", "port-list", "json", "db-csv",
                                      "slurm",         "dot",   "lst",       "topo", "ibnl"};

TEST(DamagedFile, IsReadOrRefused) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(WEFT_TOPOLOGIES)) {
    if (!entry.is_regular_file() || entry.file_size() > 1'000'000) continue;
    const std::string path = entry.path().string();
    const auto got = read_fabric(path);
    if (!got || !kReadable.contains(got->format)) continue;
    SCOPED_TRACE(path);
    ++files;
    const std::string text = read_file(path).value();
    expect_read_or_refused(text, 1, text.size() > 100'000 ? 8 : 60, path);
  }
  EXPECT_GE(files, 60u);
}

TEST(DamagedFile, OfEachWriterIsReadOrRefused) {
  const auto got = read_fabric(WEFT_TOPOLOGIES "/docs-small/3.topo");
  ASSERT_TRUE(got) << got.error().message;
  for (const WriteFormat& format : write_formats()) {
    SCOPED_TRACE(format.name);
    expect_read_or_refused(write_fabric_text(got->fabric, format), 2, 300);
  }
}

TEST(CutFile, IsReadOrRefusedAtEveryLength) {
  const std::string text = read_file(WEFT_TOPOLOGIES "/docs-small/1.topo").value();
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto got = read_fabric_text(text.substr(0, length), "f");
    EXPECT_TRUE(got || got.error().message.starts_with("f:")) << got.error().message;
  }
}

}  // namespace
}  // namespace weft
