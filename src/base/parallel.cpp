#include "base/parallel.h"

#include <sched.h>
#include <tbb/concurrent_queue.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
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
  constexpr std::uint64_t kLeastSteps = 1 << 18;
  return steps < kLeastSteps ? 1 : threads;
}

namespace {

template <class Body>
void on_threads(unsigned threads, const Body& body) {
  // Waking threads for an arena of one's own costs more than many a loop takes.
  if (threads == hardware_threads()) return body();
  tbb::task_arena(static_cast<int>(threads)).execute(body);
}

}  // namespace

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
  on_threads(wanted, [&] {
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

void assembly_line(std::size_t n, std::size_t slots, unsigned threads, const Stages& stages) {
  const unsigned wanted = threads == 0 ? hardware_threads() : threads;
  if (wanted == 1 || n <= 1) {
    for (std::size_t item = 0; item < n; ++item)
      for (const auto* stage : {&stages.prepare, &stages.in_order, &stages.finish})
        (*stage)(item, 0);
    return;
  }
  struct Place {
    std::size_t item;
    std::size_t slot;
  };
  // Items end out of order, so whose slot is free has to be kept. Taken in the first stage, which
  // is serial; there is one at least, as no more items than slots are on the line.
  tbb::concurrent_queue<std::size_t> free;
  for (std::size_t slot = 0; slot < slots; ++slot) free.push(slot);
  std::size_t next = 0;
  const auto begin = [&](tbb::flow_control& control) {
    Place place{next, 0};
    if (next == n || !free.try_pop(place.slot)) {
      control.stop();
    } else {
      ++next;
    }
    return place;
  };
  const auto run = [](const auto& stage) {
    return [&stage](Place place) {
      stage(place.item, place.slot);
      return place;
    };
  };
  const auto end = [&](Place place) {
    stages.finish(place.item, place.slot);
    free.push(place.slot);
  };
  using Mode = tbb::filter_mode;
  on_threads(wanted, [&] {
    tbb::parallel_pipeline(
        slots, tbb::make_filter<void, Place>(Mode::serial_in_order, begin) &
                   tbb::make_filter<Place, Place>(Mode::parallel, run(stages.prepare)) &
                   tbb::make_filter<Place, Place>(Mode::serial_in_order, run(stages.in_order)) &
                   tbb::make_filter<Place, void>(Mode::parallel, end));
  });
}

}  // namespace weft
