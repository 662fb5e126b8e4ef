// Deterministic parallel loops on oneTBB: task i writes slot i, so the number of threads changes
// the time only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace weft {

/// What `threads = 0` means: the cores that this process may use.
unsigned hardware_threads();

/// `threads`, or 1 for a job of so few short steps (a nanosecond or two each) that it is done
/// before others have started.
unsigned threads_worth(std::uint64_t steps, unsigned threads);

/// Calls body(i) for every i in [0, n), on at most `threads` threads (0 = all cores). Returns when
/// all are done. An exception from a body is rethrown here. `grain` is the least number of
/// consecutive indices a task takes.
void parallel_for(std::size_t n, unsigned threads, const std::function<void(std::size_t)>& body,
                  std::size_t grain = 1);

/// Calls body(begin, end) on consecutive blocks of at most `block` indices: for bodies that keep
/// scratch memory.
void parallel_blocks(std::size_t n, std::size_t block, unsigned threads,
                     const std::function<void(std::size_t, std::size_t)>& body);

/// The stages of an assembly line.
struct Stages {
  std::function<void(std::size_t item, std::size_t slot)> prepare;   // several items at once
  std::function<void(std::size_t item, std::size_t slot)> in_order;  // one item after the other
  std::function<void(std::size_t item, std::size_t slot)> finish;    // several items at once
};

/// Takes the items 0 to n-1 through the stages, at most `slots` of them at a time; an item keeps
/// its slot, which no other has meanwhile, for what the stages hand on.
void assembly_line(std::size_t n, std::size_t slots, unsigned threads, const Stages& stages);

}  // namespace weft
