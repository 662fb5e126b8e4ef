// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Work in a child process: what it returns, and how its ends are told apart.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/child_process.h"
#include "base/shared_memory.h"

namespace weft {
namespace {

using namespace std::chrono_literals;

constexpr auto kLong = 10min;

TEST(ChildProcess, ReturnsValuesInSharedMemory) {
  struct Pair {
    int first = 1;
    int second = 2;
  };
  const Shared<Pair> pair;
  EXPECT_EQ(pair->second, 2);
  int own = 3;
  EXPECT_EQ(run_in_child(kLong,
                         [&] {
                           pair->first = 10;
                           (*pair).second += 20;
                           own = 30;
                         }),
            "");
  EXPECT_EQ(pair->first, 10);
  EXPECT_EQ(pair->second, 22);
  EXPECT_EQ(own, 3) << "memory of the child";
}

TEST(ChildProcess, ReportsHowItEnded) {
  EXPECT_EQ(run_in_child(kLong, [] {}), "");
  EXPECT_EQ(run_in_child(kLong, [] { ::_exit(0); }), "");
  EXPECT_EQ(run_in_child(kLong, [] { ::_exit(3); }), "ended its process with status 3");
  EXPECT_EQ(run_in_child(kLong, [] { ::raise(SIGKILL); }), "crashed (Killed)");
  EXPECT_EQ(run_in_child(50ms,
                         [] {
                           while (true) ::pause();
                         }),
            "has not ended after 0.05 s");
}

TEST(SharedBytes, EndAtAnInaccessiblePage) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, page, page + 1}) {
    const SharedBytes bytes(size);
    EXPECT_EQ(bytes.bytes().size(), size);
    EXPECT_EQ(bytes.bytes().data(), bytes.data());
    EXPECT_EQ(run_in_child(kLong,
                           [&] {
                             for (std::size_t i = 0; i < size; ++i)
                               bytes.data()[i] = static_cast<std::uint8_t>(i + 1);
                           }),
              "");
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(bytes.bytes()[i], static_cast<std::uint8_t>(i + 1));
    EXPECT_EQ(run_in_child(kLong, [&] { bytes.data()[size] = 1; }), "crashed (Segmentation fault)");
    const std::size_t before = (size + page - 1) / page * page + 1;
    EXPECT_EQ(run_in_child(kLong, [&] { (bytes.data() + size - before)[0] = 1; }),
              "crashed (Segmentation fault)");
  }
}

}  // namespace
}  // namespace weft
