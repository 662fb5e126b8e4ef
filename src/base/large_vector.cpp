// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/large_vector.h"

#include <sys/mman.h>

#include <cstdlib>

namespace weft {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 4 * kHugePage;  // below it, rounding up wastes a noticeable share

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes < kLarge) return ::operator new(bytes);
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  if (whole < bytes) throw std::bad_alloc();
  void* memory = std::aligned_alloc(kHugePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
  static_cast<void>(::madvise(memory, whole, MADV_HUGEPAGE));  // small pages work as well
  return memory;
}

void free_large(void* memory, std::size_t bytes) {
  if (bytes < kLarge) {
    ::operator delete(memory);
  } else {
    std::free(memory);
  }
}

}  // namespace weft
