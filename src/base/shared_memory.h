// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Memory that a child process fills for its parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace weft {

/// Bytes that end at the end of a page, with inaccessible pages before and after: a write outside
/// crashes at once.
class SharedBytes {
 public:
  /// Throws std::bad_alloc.
  explicit SharedBytes(std::size_t size);
  ~SharedBytes();
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;
  std::uint8_t* data() const { return data_; }
  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }

 private:
  std::size_t size_;
  std::size_t whole_ = 0;
  void* base_ = nullptr;
  std::uint8_t* data_ = nullptr;
};

/// A struct in shared memory of its own.
template <class T>
class Shared {
 public:
  Shared()
      : bytes_((sizeof(T) + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
               alignof(std::max_align_t)) {
    value_ = new (bytes_.data()) T();
  }
  T* operator->() const { return value_; }
  T& operator*() const { return *value_; }

 private:
  SharedBytes bytes_;
  T* value_ = nullptr;
};

}  // namespace weft
