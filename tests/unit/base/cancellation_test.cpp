// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/threads/cancellation.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/parallel.h"

namespace weft {
namespace {

TEST(Cancellation, EndsLoopsOnAnyNumberOfThreads) {
  for (const unsigned threads : {1u, 2u, 8u}) {
    Cancellation cancellation;
    const CancellationScope scope(&cancellation);
    std::atomic<unsigned> runs = 0;
    EXPECT_THROW(parallel_for(100000, threads,
                              [&](std::size_t) {
                                if (++runs == 10) cancellation.request();
                              }),
                 Cancelled);
    EXPECT_LT(runs, 1000u) << threads;
  }
}

TEST(Cancellation, EndsNestedLoops) {
  Cancellation cancellation;
  const CancellationScope scope(&cancellation);
  std::atomic<unsigned> inner = 0;
  EXPECT_THROW(parallel_for(8, 4,
                            [&](std::size_t) {
                              parallel_for(100000, 2, [&](std::size_t) {
                                if (++inner == 10) cancellation.request();
                              });
                            }),
               Cancelled);
  EXPECT_LT(inner, 8 * 1000u);
}

TEST(Cancellation, EndsPipelines) {
  for (const unsigned threads : {1u, 4u}) {
    Cancellation cancellation;
    const CancellationScope scope(&cancellation);
    std::atomic<unsigned> ended = 0;
    const auto nothing = [](std::size_t, std::size_t) {};
    EXPECT_THROW(run_pipeline(100000, 4, threads,
                              {nothing, nothing,
                               [&](std::size_t, std::size_t) {
                                 if (++ended == 10) cancellation.request();
                               }}),
                 Cancelled);
    EXPECT_LT(ended, 1000u) << threads;
  }
}

TEST(Cancellation, AppliesOnlyWithinTheScope) {
  Cancellation cancellation;
  cancellation.request();
  {
    const CancellationScope scope(&cancellation);
    EXPECT_EQ(Cancellation::current(), &cancellation);
    EXPECT_THROW(throw_if_cancelled(), Cancelled);
    const CancellationScope none(nullptr);
    throw_if_cancelled();
  }
  EXPECT_EQ(Cancellation::current(), nullptr);
  unsigned runs = 0;
  parallel_for(3, 1, [&](std::size_t) { ++runs; });
  EXPECT_EQ(runs, 3u);
}

}  // namespace
}  // namespace weft
