#include "base/parallel.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

namespace weft {
namespace {

TEST(Parallel, EveryIndexOnceForAnyNumberOfThreads) {
  for (const unsigned threads : {0u, 1u, 2u, 8u}) {
    std::vector<int> hits(1000, 0);
    parallel_for(
        hits.size(), threads, [&](std::size_t i) { ++hits[i]; }, 7);
    EXPECT_EQ(std::accumulate(hits.begin(), hits.end(), 0), 1000) << threads;
    for (const int hit : hits) ASSERT_EQ(hit, 1);
  }
}

TEST(Parallel, AnExceptionReachesTheCaller) {
  EXPECT_THROW(parallel_for(10, 2,
                            [](std::size_t i) {
                              if (i == 5) throw std::runtime_error("five");
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace weft
