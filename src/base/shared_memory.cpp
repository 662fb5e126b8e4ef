// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/shared_memory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace weft {

SharedBytes::SharedBytes(std::size_t size) : size_(size) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t body = (size + page - 1) / page * page;
  whole_ = body + 2 * page;
  base_ = ::mmap(nullptr, whole_, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base_ == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<std::uint8_t*>(base_) + page;
  if (body > 0 && ::mprotect(first, body, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  data_ = first + (body - size);
}

SharedBytes::~SharedBytes() { ::munmap(base_, whole_); }

}  // namespace weft
