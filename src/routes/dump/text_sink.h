// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes numbers and text without format strings, because a dump of the largest subnet has 180
// million lines.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "fabric/formats/write.h"

namespace weft {

/// Collects text and writes it in large blocks. The destructor writes the rest.
class TextSink {
 public:
  explicit TextSink(const Append& append)
      : append_(append), buffer_(std::make_unique_for_overwrite<char[]>(kSize)) {}
  ~TextSink() { flush(); }
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  TextSink& text(std::string_view piece) {
    if (piece.size() > kSize) {
      flush();
      append_(piece);
      return *this;
    }
    std::memcpy(space_for(piece.size()), piece.data(), piece.size());
    return *this;
  }

  /// Appends a hexadecimal number with at least `width` digits, with leading zeros.
  TextSink& hex(std::uint64_t value, unsigned width, bool upper = false) {
    const char* digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    const auto length = (static_cast<unsigned>(std::bit_width(value | 1)) + 3) / 4;
    char* const begin = space_for(std::max(length, width));
    for (char* at = begin + std::max(length, width); at > begin; value >>= 4)
      *--at = digits[value & 15];
    return *this;
  }
  /// Appends a decimal number with at least `width` digits, with leading zeros.
  TextSink& dec(std::uint64_t value, unsigned width = 1) {
    char digits[kDigitsMax];
    char* at = digits + kDigitsMax;
    do {
      *--at = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    const auto length = static_cast<unsigned>(digits + kDigitsMax - at);
    for (unsigned i = length; i < width; ++i) *space_for(1) = '0';
    std::memcpy(space_for(length), at, length);
    return *this;
  }
  /// Appends a decimal number, padded with trailing blanks to `width`.
  TextSink& dec_left(std::uint64_t value, unsigned width) {
    dec(value);
    unsigned length = 1;
    for (; value >= 10; value /= 10) ++length;
    for (; length < width; ++length) *space_for(1) = ' ';
    return *this;
  }

  void flush() {
    if (used_ > 0) append_({buffer_.get(), used_});
    used_ = 0;
  }

 private:
  static constexpr std::size_t kSize = 1 << 16;
  static constexpr std::size_t kDigitsMax = 20;  // decimal digits of 2^64 - 1

  /// Returns memory for the next `size` bytes, at most kSize.
  char* space_for(std::size_t size) {
    if (size > kSize - used_) flush();
    char* const begin = buffer_.get() + used_;
    used_ += size;
    return begin;
  }

  const Append& append_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
};

}  // namespace weft
