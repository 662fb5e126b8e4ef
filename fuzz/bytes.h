// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fuzzed bytes, read one after another as a script of actions. Reads beyond the end return 0.
#pragma once

#include <cstddef>
#include <cstdint>

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  std::uint8_t u8() { return empty() ? std::uint8_t{0} : *at_++; }
  std::uint16_t u16() {
    const unsigned high = u8();
    return static_cast<std::uint16_t>(high << 8 | u8());
  }
  std::uint32_t u32() {
    const std::uint32_t high = u16();
    return high << 16 | u16();
  }
  /// A number below 0xF0 from one byte, because most segment numbers, RMPP windows and payload
  /// lengths are small; after a byte of 0xF0 or more, any 32-bit number.
  std::uint32_t number() {
    const std::uint8_t first = u8();
    return first < 0xF0 ? first : u32();
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};
