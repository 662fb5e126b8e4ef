// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Memory that a process shares with its child process: the child maps it through an inherited file
// descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

namespace weft {

/// Bytes that end at the end of a page, with inaccessible pages before the first and after the last
/// page: a write after the last byte crashes at once, a write before the first byte only outside of
/// its page. The size is sealed, so that neither process can truncate the shared memory.
class SharedBytes {
 public:
  /// Allocates memory filled with zeros. Throws std::bad_alloc.
  explicit SharedBytes(std::size_t size);
  /// In the child: maps the memory of a descriptor and takes ownership of the descriptor. Throws
  /// std::bad_alloc if the memory has another number of pages or cannot be mapped.
  SharedBytes(int descriptor, std::size_t size);
  ~SharedBytes();
  SharedBytes(const SharedBytes&) = delete;
  SharedBytes& operator=(const SharedBytes&) = delete;
  std::uint8_t* data() const { return data_; }
  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  int descriptor() const { return descriptor_; }

 private:
  void map(std::size_t body);

  int descriptor_ = -1;
  std::size_t size_;
  std::size_t whole_ = 0;
  void* base_ = nullptr;
  std::uint8_t* data_ = nullptr;
};

/// A struct in a separate SharedBytes object.
template <class T>
requires std::is_trivially_copyable_v<T>
class Shared {
 public:
  Shared() : bytes_(kSize), value_(new (bytes_.data()) T()) {}
  /// For the child, which maps the memory of a descriptor.
  explicit Shared(int descriptor)
      : bytes_(descriptor, kSize), value_(reinterpret_cast<T*>(bytes_.data())) {}
  T* operator->() const { return value_; }
  T& operator*() const { return *value_; }
  int descriptor() const { return bytes_.descriptor(); }

 private:
  static constexpr std::size_t kSize = (sizeof(T) + alignof(std::max_align_t) - 1) /
                                       alignof(std::max_align_t) * alignof(std::max_align_t);
  SharedBytes bytes_;
  T* value_ = nullptr;
};

}  // namespace weft
