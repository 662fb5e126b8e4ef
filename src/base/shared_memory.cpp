// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft {
namespace {

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t size) {
  return (size + page_size() - 1) / page_size() * page_size();
}

}  // namespace

SharedBytes::SharedBytes(std::size_t size) : size_(size) {
  const std::size_t body = whole_pages(size);
  descriptor_ = ::memfd_create("weft", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0) throw std::bad_alloc();
  if (::ftruncate(descriptor_, static_cast<off_t>(body)) != 0 ||
      ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    ::close(descriptor_);
    throw std::bad_alloc();
  }
  map(body);
}

SharedBytes::SharedBytes(int descriptor, std::size_t size) : descriptor_(descriptor), size_(size) {
  const std::size_t body = whole_pages(size);
  struct stat about {};
  if (::fstat(descriptor, &about) != 0 || static_cast<std::size_t>(about.st_size) != body)
    throw std::bad_alloc();
  map(body);
}

void SharedBytes::map(std::size_t body) {
  whole_ = body + 2 * page_size();
  base_ = ::mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  auto* first = static_cast<std::uint8_t*>(base_) + page_size();
  if (base_ == MAP_FAILED ||
      (body > 0 && ::mmap(first, body, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor_,
                          0) == MAP_FAILED)) {
    ::close(descriptor_);
    throw std::bad_alloc();
  }
  data_ = first + (body - size_);
}

SharedBytes::~SharedBytes() {
  ::munmap(base_, whole_);
  ::close(descriptor_);
}

}  // namespace weft
