// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/memory/heap.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <memory>

namespace weft {
namespace {

// Sanitizers replace the heap, so the settings of the heap have no effect.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Heap, KeepsAFreedTableForTheNextRequest) {
  constexpr std::size_t kBytes = 24 << 20;
  keep_freed_memory();
  auto table = std::make_unique<std::byte[]>(kBytes);
  EXPECT_EQ(::mallinfo2().hblkhd, 0u)
      << "expected the table in the heap, not in separate pages that are unmapped when freed";
  table.reset();
  EXPECT_GE(::mallinfo2().fordblks, kBytes) << "expected the heap to keep the freed table";
}
#endif

}  // namespace
}  // namespace weft
