#include "base/parallel.h"

#include <sched.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

namespace weft {

unsigned hardware_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

unsigned threads_worth(std::uint64_t steps, unsigned threads) {
  constexpr std::uint64_t kLeastSteps = 1 << 20;
  return steps < kLeastSteps ? 1 : threads;
}

void parallel_blocks(std::size_t n, std::size_t block, unsigned threads,
                     const std::function<void(std::size_t, std::size_t)>& body) {
  if (n == 0) return;
  block = std::max<std::size_t>(1, block);
  const unsigned wanted = threads == 0 ? hardware_threads() : threads;
  if (wanted == 1 || n <= block) {
    for (std::size_t begin = 0; begin < n; begin += block) body(begin, std::min(n, begin + block));
    return;
  }
  const std::size_t blocks = (n + block - 1) / block;
  tbb::task_arena arena(static_cast<int>(wanted));
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, blocks,
                      [&](std::size_t b) { body(b * block, std::min(n, (b + 1) * block)); });
  });
}

void parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& body,
                  std::size_t grain) {
  parallel_blocks(n, grain, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace weft
