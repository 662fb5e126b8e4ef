// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/parallel.h"

#include <sched.h>
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/threads/cancellation.h"

#ifdef WEFT_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
extern "C" const char* __tsan_default_suppressions();
const char* __tsan_default_suppressions() { return "called_from_lib:libtbb.so\n"; }
#endif

namespace weft {

unsigned hardware_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

unsigned threads_worth(std::uint64_t steps, unsigned threads) {
  constexpr std::uint64_t kLeastSteps = 1 << 21;
  return steps < kLeastSteps ? 1 : threads;
}

namespace {

// Debian's oneTBB is not built for ThreadSanitizer, so ThreadSanitizer would report races on all
// data that tasks exchange. A ThreadSanitizer build therefore does not instrument this file, which
// includes code of TBB. Instead, class Order declares the order in which a loop runs its bodies.
// ThreadSanitizer still reports races between bodies without such an order.
class Order {
 public:
  /// Makes what this thread did so far visible to threads that acquire() later.
  void release() {
#ifdef WEFT_THREAD_SANITIZER
    __tsan_release(this);
#endif
  }
  void acquire() {
#ifdef WEFT_THREAD_SANITIZER
    __tsan_acquire(this);
#endif
  }
};

/// Acquires the order, and releases it at the end of the scope, also if an exception is thrown.
class OrderScope {
 public:
  explicit OrderScope(Order& order) : order_(order) { order_.acquire(); }
  ~OrderScope() { order_.release(); }
  OrderScope(const OrderScope&) = delete;
  OrderScope& operator=(const OrderScope&) = delete;

 private:
  Order& order_;
};

/// Orders memory accesses as fork and join do: writes before the loop are visible to every task,
/// and the writes of all tasks are visible to the caller after the loop. Writes of one task are not
/// visible to another task. The tasks end early if the cancellation of the caller is requested.
class Tasks {
 public:
  Tasks() : cancellation_(Cancellation::current()) { begun_.release(); }
  ~Tasks() { done_.acquire(); }
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  template <class Body>
  void run(const Body& body) {
    begun_.acquire();
    const CancellationScope scope(cancellation_);
    struct Done {
      Order& order;
      ~Done() { order.release(); }
    } done{done_};
    throw_if_cancelled();
    body();
  }

 private:
  Cancellation* cancellation_;
  Order begun_;
  Order done_;
};

template <class Body>
void on_threads(unsigned threads, const Body& body) {
  // Waking the threads of a separate arena takes longer than many loops save by using them.
  if (threads == hardware_threads()) return body();
  // More threads than cores are allowed on request; oneTBB otherwise warns and starts fewer.
  std::optional<tbb::global_control> allowed;
  if (threads > hardware_threads())
    allowed.emplace(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena(static_cast<int>(threads)).execute(body);
}

}  // namespace

void parallel_blocks(std::size_t n, std::size_t block, unsigned threads,
                     const std::function<void(std::size_t, std::size_t)>& body) {
  if (n == 0) return;
  block = std::max<std::size_t>(1, block);
  const unsigned wanted = threads == 0 ? hardware_threads() : threads;
  if (wanted == 1 || n <= block) {
    for (std::size_t begin = 0; begin < n; begin += block) {
      throw_if_cancelled();
      body(begin, std::min(n, begin + block));
    }
    return;
  }
  const std::size_t blocks = (n + block - 1) / block;
  Tasks tasks;
  on_threads(wanted, [&] {
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t b) {
      tasks.run([&] { body(b * block, std::min(n, (b + 1) * block)); });
    });
  });
}

void parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& body,
                  std::size_t grain) {
  parallel_blocks(n, grain, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

void run_pipeline(std::size_t n, std::size_t slots, unsigned threads, const Stages& stages) {
  const unsigned wanted = threads == 0 ? hardware_threads() : threads;
  if (wanted == 1 || n <= 1) {
    for (std::size_t item = 0; item < n; ++item) {
      throw_if_cancelled();
      for (const auto* stage : {&stages.prepare, &stages.in_order, &stages.finish})
        (*stage)(item, 0);
    }
    return;
  }
  struct Place {
    std::size_t item;
    std::size_t slot;
  };
  // Items end out of order, so the free slots are kept in a queue. The first stage, which is
  // serial, takes a free slot. The queue has one whenever the stage runs, because at most `slots`
  // items are in the pipeline.
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
  Tasks tasks;
  std::vector<Order> slot_orders(slots);  // by slot: the order of the stages of its item
  Order middle_order;                     // the order of the items in the middle stage
  const auto prepare = [&](Place place) {
    tasks.run([&] {
      const OrderScope slot_scope(slot_orders[place.slot]);
      stages.prepare(place.item, place.slot);
    });
    return place;
  };
  const auto in_order = [&](Place place) {
    tasks.run([&] {
      const OrderScope slot_scope(slot_orders[place.slot]);
      const OrderScope middle_scope(middle_order);
      stages.in_order(place.item, place.slot);
    });
    return place;
  };
  const auto end = [&](Place place) {
    tasks.run([&] {
      const OrderScope slot_scope(slot_orders[place.slot]);
      stages.finish(place.item, place.slot);
    });
    free.push(place.slot);
  };
  using Mode = tbb::filter_mode;
  on_threads(wanted, [&] {
    tbb::parallel_pipeline(slots,
                           tbb::make_filter<void, Place>(Mode::serial_in_order, begin) &
                               tbb::make_filter<Place, Place>(Mode::parallel, prepare) &
                               tbb::make_filter<Place, Place>(Mode::serial_in_order, in_order) &
                               tbb::make_filter<Place, void>(Mode::parallel, end));
  });
}

}  // namespace weft
