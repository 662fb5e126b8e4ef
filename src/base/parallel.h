// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Deterministic parallel loops on oneTBB: task i writes slot i, so the result does not depend on
// the number of threads. A pipeline of three stages, of which the middle stage runs in order. Loops
// and pipeline throw Cancelled once the cancellation of the caller is requested
// (threads/cancellation.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace weft {

/// Number of cores that this process may use: the number of threads if `threads` is 0.
unsigned hardware_threads();

/// Returns `threads`, or 1 if the job has so few steps (of one or two nanoseconds each) that it
/// ends before other threads have started.
unsigned threads_worth(std::uint64_t steps, unsigned threads);

/// Calls body(i) for every i in [0, n), on at most `threads` threads (0: all cores), and returns
/// when all calls are done. Rethrows an exception of a body. `grain` is the least number of
/// consecutive indices per task.
void parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& body,
                  std::size_t grain = 1);

/// Calls body(begin, end) on consecutive blocks of at most `block` indices: for bodies that keep
/// scratch memory.
void parallel_blocks(std::size_t n, std::size_t block, unsigned threads,
                     const std::function<void(std::size_t, std::size_t)>& body);

/// The stages of a pipeline, called for each item.
struct Stages {
  std::function<void(std::size_t item, std::size_t slot)> prepare;   // items run concurrently
  std::function<void(std::size_t item, std::size_t slot)> in_order;  // one item after the other
  std::function<void(std::size_t item, std::size_t slot)> finish;    // items run concurrently
};

/// Passes the items 0 to n-1 through the stages, at most `slots` of them at a time; `slots` must
/// not be 0. An item has one slot to itself until its last stage ends; its stages keep their data
/// there.
void run_pipeline(std::size_t n, std::size_t slots, unsigned threads, const Stages& stages);

}  // namespace weft
