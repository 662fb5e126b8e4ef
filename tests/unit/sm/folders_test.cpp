// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Folders without write permission and full disks: the fabric comes up, the path is reported, and
// each file has its old or its new content, never a part.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sm/dumps.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

std::string text_of_file(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Simulates a full disk during its lifetime: no file of this process can exceed `bytes`.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit tight{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int) = nullptr;
};

TEST(CacheFolder, InvalidPathIsReportedAndTheSubnetComesUp) {
  TempDir scratch;
  std::ofstream(scratch / "file") << "in the way";
  for (const std::string& folder :
       {std::string("/proc/no-such-folder"), scratch / "file", scratch / "file/below"}) {
    ManagedSubnet managed(fabric_of("fattree2:k=4"));
    managed.options.cache_dir = folder;
    managed.start();
    ASSERT_TRUE(managed.settle());
    expect_managed(managed);
    EXPECT_THAT(managed.report().warnings, Contains(HasSubstr(folder)));
  }
}

TEST(CacheFolder, DirectoryInPlaceOfTheFileIsLeftUnchanged) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  fs::create_directories(managed.cache() / "guid2lid/kept");
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr(managed.cache() / "guid2lid")));
  EXPECT_TRUE(fs::exists(managed.cache() / "guid2lid/kept"));
  EXPECT_EQ(entries(managed.cache().path()), 3u);  // guid2lid, guid2mkey and neighbors
}

TEST(CacheFolder, FullDiskKeepsTheOldFileUntilARetry) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const std::string file = managed.cache() / "guid2lid";
  const std::string old = text_of_file(file);
  {
    const FullDisk full(100);
    managed.options.lmc = 2;
    managed.start();
    ASSERT_TRUE(managed.settle());
  }
  expect_managed(managed);
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr(file)));
  EXPECT_EQ(text_of_file(file), old);
  EXPECT_EQ(entries(managed.cache().path()), 3u);  // guid2lid, guid2mkey and neighbors
  managed.sm().request_heavy_sweep("there is room again");
  ASSERT_TRUE(managed.settle());
  EXPECT_NE(text_of_file(file), old);
  EXPECT_EQ(entries(managed.cache().path()), 3u);  // guid2lid, guid2mkey and neighbors
}

TEST(CacheFolder, FullDiskDelaysMKeys) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.m_key = Mkey(0x1234);
  const auto ports_with_key = [&] {
    unsigned count = 0;
    for (const Endport& endport : managed.fabric().endports())
      count += managed.emulated().port_info(endport.port).mkey == managed.options.m_key;
    return count;
  };
  {
    const FullDisk full(10);
    managed.start();
    ASSERT_TRUE(managed.settle());
    managed.run_for(std::chrono::seconds(60));
    EXPECT_EQ(managed.sm().heavy_sweeps(), 1u) << "a full disk must cause no further sweep";
    EXPECT_EQ(ports_with_key(), 0u);
  }
  managed.run_for(std::chrono::seconds(30));
  EXPECT_EQ(managed.sm().heavy_sweeps(), 2u);
  EXPECT_EQ(ports_with_key(), managed.fabric().endport_count());
}

TEST(CacheFolder, FullDiskLeavesADamagedFileComplete) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  const std::string file = managed.cache() / "guid2lid";
  const std::string damaged = "zebra\n" + std::string(200, '\n');
  std::ofstream(file) << damaged;
  const FullDisk full(100);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(text_of_file(file), damaged);
}

class DumpFolder : public testing::Test {
 protected:
  DumpFolder() {
    managed.start();
    CHECK(managed.settle());
  }
  Status dump(const std::string& path) {
    const auto snapshot = managed.sm().snapshot();
    return write_dumps(snapshot->fabric, snapshot->routes, path, {.sm = snapshot->sm});
  }
  ManagedSubnet managed{fabric_of("fattree2:k=4")};
  TempDir folder;
};

TEST_F(DumpFolder, InvalidPathIsReported) {
  std::ofstream(folder / "file") << "in the way";
  for (const std::string& bad : {std::string("/proc/no-such-folder"), folder / "file"}) {
    const auto status = dump(bad);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::kEnvironment);
    EXPECT_THAT(status.error().message, HasSubstr(bad));
  }
}

TEST_F(DumpFolder, DirectoryInPlaceOfAFileIsReported) {
  fs::create_directories(folder / "opensm.fdbs/kept");
  const auto status = dump(folder.path());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kEnvironment);
  EXPECT_THAT(status.error().message, HasSubstr(folder / "opensm.fdbs"));
  EXPECT_TRUE(fs::exists(folder / "opensm.fdbs/kept"));
  for (const char* other : {"opensm-subnet.lst", "opensm-lfts.dump", "weft.slvl"})
    EXPECT_TRUE(fs::exists(folder / other)) << other;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr(".new.")));
}

TEST_F(DumpFolder, FullDiskKeepsTheOldFiles) {
  ASSERT_TRUE(dump(folder.path()));
  const std::size_t files = entries(folder.path());
  const std::string old = text_of_file(folder / "opensm-subnet.lst");
  const FullDisk full(100);
  const auto status = dump(folder.path());
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr(folder / "opensm-subnet.lst"));
  EXPECT_EQ(text_of_file(folder / "opensm-subnet.lst"), old);
  EXPECT_EQ(entries(folder.path()), files);
}

}  // namespace
}  // namespace weft
