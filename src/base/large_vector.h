// Arrays of many megabytes that several threads write: on huge pages where the system has them, and
// not touched before their elements are written, so that the pages come with the first writer.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace weft {

/// Throws std::bad_alloc. Large requests are aligned to huge pages and ask the system for them.
void* allocate_large(std::size_t bytes);
void free_large(void* memory, std::size_t bytes);

/// Leaves elements that are not given a value uninitialized.
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
