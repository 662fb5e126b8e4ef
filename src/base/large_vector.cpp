// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/large_vector.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace weft {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLarge = 4 * kHugePage;  // rounding smaller blocks up wastes too much memory

/// Blocks that were freed, the last one at the end.
class FreedBlocks {
 public:
  /// Removes a freed block of this size and returns it; null if there is none.
  void* take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(blocks_, bytes, &Block::bytes);
    if (found == blocks_.end()) return nullptr;
    void* const memory = found->memory;
    blocks_.erase(found);
    return memory;
  }

  void put(void* memory, std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (kept_ == 0) return std::free(memory);
    static_cast<void>(::madvise(memory, bytes, MADV_FREE));  // if it fails, the pages stay resident
    blocks_.push_back({memory, bytes});
    drop_beyond(kept_);
  }

  void keep(std::size_t count) {
    const std::scoped_lock lock(mutex_);
    kept_ = count;
    blocks_.reserve(count + 1);
    drop_beyond(count);
  }

 private:
  struct Block {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  void drop_beyond(std::size_t count) {
    while (blocks_.size() > count) {
      std::free(blocks_.front().memory);
      blocks_.erase(blocks_.begin());
    }
  }

  std::mutex mutex_;
  std::size_t kept_ = 0;
  std::vector<Block> blocks_;
};

/// Never destroyed: static objects may free blocks at the end of the program.
FreedBlocks& freed_blocks() {
  static auto* const blocks = new FreedBlocks;
  return *blocks;
}

/// Rounds up to whole huge pages. Throws std::bad_alloc if that overflows.
std::size_t rounded(std::size_t bytes) {
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  if (whole < bytes) throw std::bad_alloc();
  return whole;
}

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes < kLarge) return ::operator new(bytes);
  const std::size_t whole = rounded(bytes);
  if (void* const freed = freed_blocks().take(whole); freed != nullptr) return freed;
  void* memory = std::aligned_alloc(kHugePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
  static_cast<void>(::madvise(memory, whole, MADV_HUGEPAGE));  // if it fails, small pages are used
  return memory;
}

void free_large(void* memory, std::size_t bytes) {
  if (bytes < kLarge) {
    ::operator delete(memory);
  } else {
    freed_blocks().put(memory, rounded(bytes));
  }
}

void keep_freed_blocks(std::size_t count) { freed_blocks().keep(count); }

}  // namespace weft
