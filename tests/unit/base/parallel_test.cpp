// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weft {
namespace {

TEST(Parallel, VisitsEveryIndexOnceWithAnyNumberOfThreads) {
  for (const unsigned threads : {0u, 1u, 2u, 8u}) {
    std::vector<int> hits(1000, 0);
    parallel_for(
        hits.size(), threads, [&](std::size_t i) { ++hits[i]; }, 7);
    EXPECT_EQ(std::accumulate(hits.begin(), hits.end(), 0), 1000) << threads;
    for (const int hit : hits) ASSERT_EQ(hit, 1);
  }
}

TEST(Parallel, RethrowsExceptionsToTheCaller) {
  EXPECT_THROW(parallel_for(10, 2,
                            [](std::size_t i) {
                              if (i == 5) throw std::runtime_error("five");
                            }),
               std::runtime_error);
}

TEST(Parallel, StartsMoreThreadsThanCoresOnRequest) {
  const unsigned wanted = hardware_threads() + 3;
  std::mutex mutex;
  std::condition_variable all_started;
  std::set<std::thread::id> threads;
  parallel_for(wanted, wanted, [&](std::size_t) {
    std::unique_lock lock(mutex);
    threads.insert(std::this_thread::get_id());
    all_started.notify_all();
    all_started.wait_for(lock, std::chrono::seconds(240), [&] { return threads.size() == wanted; });
  });
  EXPECT_EQ(threads.size(), wanted);
}

TEST(Pipeline, RunsAllStagesOfEveryItemAndTheMiddleStageInOrder) {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    constexpr std::size_t kItems = 500;
    constexpr std::size_t kSlots = 4;
    std::vector<std::size_t> held(kSlots, kItems);  // by slot: the current item
    std::vector<int> stages(kItems, 0);
    std::vector<std::size_t> order;
    const auto expect = [&](std::size_t item, std::size_t slot, int before) {
      ASSERT_LT(slot, kSlots);
      EXPECT_EQ(held[slot], item);
      EXPECT_EQ(stages[item]++, before);
    };
    const Stages line{[&](std::size_t item, std::size_t slot) {
                        ASSERT_LT(slot, kSlots);
                        held[slot] = item;
                        expect(item, slot, 0);
                      },
                      [&](std::size_t item, std::size_t slot) {
                        expect(item, slot, 1);
                        order.push_back(item);
                      },
                      [&](std::size_t item, std::size_t slot) { expect(item, slot, 2); }};
    run_pipeline(kItems, kSlots, threads, line);
    EXPECT_EQ(stages, std::vector<int>(kItems, 3));
    ASSERT_EQ(order.size(), kItems);
    EXPECT_TRUE(std::ranges::is_sorted(order));
    run_pipeline(0, kSlots, threads, line);
    EXPECT_EQ(order.size(), kItems);
  }
}

}  // namespace
}  // namespace weft
