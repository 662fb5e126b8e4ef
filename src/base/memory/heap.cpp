// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/memory/heap.h"

#include <malloc.h>

namespace weft {
namespace {

constexpr int kMappedMin = 32 << 20;  // larger blocks are returned to the system when freed
constexpr int kFreeMax = 256 << 20;   // more free memory than this is returned to the system

}  // namespace

void keep_freed_memory() {
  // If the C library rejects a value, the default value applies.
  static_cast<void>(::mallopt(M_MMAP_THRESHOLD, kMappedMin));
  static_cast<void>(::mallopt(M_TRIM_THRESHOLD, kFreeMax));
}

}  // namespace weft
