// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/secret.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace weft {
namespace {

/// Memory for secrets in whole pages, because a core file excludes whole pages. Freed pages are
/// kept for later secrets, and never returned to the system.
class SecretPages {
 public:
  char* take(std::size_t size) {
    const std::size_t pages = pages_of(size);
    const std::lock_guard lock(mutex_);
    std::vector<char*>& free = free_[pages];
    if (free.empty()) return map(pages);
    char* const first = free.back();
    free.pop_back();
    return first;
  }
  void give_back(char* first, std::size_t size) noexcept {
    ::explicit_bzero(first, size);
    const std::lock_guard lock(mutex_);
    free_[pages_of(size)].push_back(first);
  }

 private:
  static std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return size;
  }
  static std::size_t pages_of(std::size_t size) { return (size + page_size() - 1) / page_size(); }
  static char* map(std::size_t pages) {
    const std::size_t bytes = pages * page_size();
    void* const first =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (first == MAP_FAILED) throw std::bad_alloc();
    static_cast<void>(::mlock(first, bytes));
    static_cast<void>(::madvise(first, bytes, MADV_DONTDUMP));
    return static_cast<char*>(first);
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<char*>> free_;  // by number of pages in each
};

/// Never destroyed: static objects that hold secrets may be destroyed later.
SecretPages& secret_pages() {
  static SecretPages& pages = *new SecretPages;
  return pages;
}

}  // namespace

void wipe(std::string& text) {
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

Secret::Secret(std::string_view text) : size_(text.size()) {
  if (size_ == 0) return;
  bytes_ = secret_pages().take(size_ + 1);
  text.copy(bytes_, size_);
  bytes_[size_] = 0;
}

Secret::Secret(std::string&& text) : Secret(std::string_view(text)) { wipe(text); }

Secret::~Secret() {
  if (bytes_ != nullptr) secret_pages().give_back(bytes_, size_ + 1);
}

void Secret::swap(Secret& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(size_, other.size_);
}

bool Secret::operator==(std::string_view other) const {
  unsigned difference = size_ == other.size() ? 0 : 1;
  for (std::size_t i = 0; i < other.size(); ++i)
    difference |= static_cast<unsigned char>(other[i]) ^
                  static_cast<unsigned char>(size_ == 0 ? 0 : bytes_[i % size_]);
  return difference == 0;
}

}  // namespace weft
