// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Serializes values and arrays to bytes, and back, to send them to other MPI ranks of the same
// program. Not a file format: byte order and layout are those of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace weft {

class BlobWriter {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(&v, sizeof v);
  }
  template <class Array>
  void array(const Array& items) {
    using Item = typename Array::value_type;
    static_assert(std::is_trivially_copyable_v<Item>);
    value(static_cast<std::uint64_t>(items.size()));
    if (!items.empty()) put(items.data(), items.size() * sizeof(Item));
  }
  void text(const std::string& s) { array(s); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void put(const void* from, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  std::vector<std::byte> bytes_;
};

/// Reading past the end leaves the value unchanged and sets good() to false. An empty array or text
/// leaves its target unchanged too.
class BlobReader {
 public:
  explicit BlobReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  void value(T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (fits(sizeof v)) get(&v, sizeof v);
  }
  template <class Array>
  void array(Array& items) {
    using Item = typename Array::value_type;
    static_assert(std::is_trivially_copyable_v<Item>);
    std::uint64_t size = 0;
    value(size);
    if (good_ && size > bytes_.size() / sizeof(Item)) good_ = false;
    if (!good_ || size == 0) return;
    items.resize(size);
    get(items.data(), size * sizeof(Item));
  }
  void text(std::string& s) { array(s); }
  bool good() const { return good_; }
  bool at_end() const { return good_ && bytes_.empty(); }

 private:
  bool fits(std::size_t size) { return good_ = good_ && bytes_.size() >= size; }
  void get(void* to, std::size_t size) {
    std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

}  // namespace weft
