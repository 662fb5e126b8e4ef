// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Arrays of many megabytes written by several threads: on huge pages where the system has them, and
// untouched until their elements are written, so that each page is placed by its first writer.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace weft {

/// Throws std::bad_alloc. Large blocks are aligned to huge pages, which are requested from the
/// system.
void* allocate_large(std::size_t bytes);
void free_large(void* memory, std::size_t bytes);
/// Keeps the last `count` large blocks that were freed for later requests of the same size, for
/// programs that allocate such tables repeatedly: the system takes longer to clear new pages than a
/// program to write them. The system may reclaim their pages (MADV_FREE), so they use memory only
/// until another program needs it. By default none are kept.
void keep_freed_blocks(std::size_t count);
/// For a subnet manager: the tables of the sweep before the last one, and two arrays of the
/// verification.
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
