// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Arrays of many megabytes that several threads write. They use huge pages if the system has them.
// Construction writes nothing, so that the system allocates each page near the thread that first
// writes it.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace weft {

/// Throws std::bad_alloc. Large blocks, of 8 MiB or more, are aligned to huge pages, which are
/// requested from the system.
void* allocate_large(std::size_t bytes);
void free_large(void* memory, std::size_t bytes);
/// Keeps the `count` large blocks that were freed last, and returns them for later requests of the
/// same size. For programs that allocate large tables repeatedly: the system takes longer to clear
/// new pages than a program takes to write them. The system may reclaim the pages of kept blocks
/// (MADV_FREE) when another program needs memory. By default no blocks are kept.
void keep_freed_blocks(std::size_t count);
/// Count for a subnet manager: one block for the tables of the sweep before the last one, and two
/// for arrays of the verification.
inline constexpr std::size_t kFreedTablesKept = 3;

/// Leaves elements without an initial value uninitialized.
template <class T>
struct LargeAllocator {
  using value_type = T;
  LargeAllocator() = default;
  template <class U>
  explicit LargeAllocator(const LargeAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_large(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t n) { free_large(memory, n * sizeof(T)); }
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
  template <class U>
  bool operator==(const LargeAllocator<U>&) const {
    return true;
  }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace weft
