// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes fixed-width lines at memory speed: a dump of the largest subnet has 180 million of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fabric/formats/write.h"

namespace weft {

/// Collects pieces and passes them on in large blocks. The destructor flushes.
class TextSink {
 public:
  explicit TextSink(const Append& append) : append_(append) { buffer_.reserve(kFull + 4096); }
  ~TextSink() { flush(); }
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  TextSink& text(std::string_view piece) {
    buffer_.append(piece);
    if (buffer_.size() >= kFull) flush();
    return *this;
  }

  /// At least `width` digits, with leading zeros.
  TextSink& hex(std::uint64_t value, unsigned width, bool upper = false) {
    const char* digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    return number(value, 16, width, digits, '0');
  }
  TextSink& dec(std::uint64_t value, unsigned width = 1) {
    return number(value, 10, width, "0123456789", '0');
  }
  /// Decimal, padded with trailing blanks to `width`.
  TextSink& dec_left(std::uint64_t value, unsigned width) {
    const std::size_t before = buffer_.size();
    dec(value);
    while (buffer_.size() < before + width) buffer_.push_back(' ');
    return *this;
  }

  void flush() {
    if (!buffer_.empty()) append_(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kFull = 1 << 16;

  TextSink& number(std::uint64_t value, unsigned base, unsigned width, const char* digits,
                   char filler) {
    char reversed[20];
    unsigned length = 0;
    do {
      reversed[length++] = digits[value % base];
      value /= base;
    } while (value != 0);
    while (length < width && length < sizeof reversed) reversed[length++] = filler;
    while (length > 0) buffer_.push_back(reversed[--length]);
    return *this;
  }

  const Append& append_;
  std::string buffer_;
};

}  // namespace weft
