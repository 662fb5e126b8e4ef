// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attribute bytes for tests: written as hex in the order of the specification's tables.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "ib/smp.h"

namespace weft {

/// Bytes from hex digits; blanks are ignored, and the remaining bytes are 0.
template <std::size_t kSize = kSmpDataSize>
std::array<std::byte, kSize> from_hex(std::string_view text) {
  std::array<std::byte, kSize> bytes{};
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    const unsigned value = static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    bytes.at(digits / 2) |= static_cast<std::byte>(digits % 2 ? value : value << 4);
    ++digits;
  }
  return bytes;
}

template <std::size_t kSize>
std::string to_hex(const std::array<std::byte, kSize>& bytes) {
  std::string text;
  for (std::size_t i = 0; i < kSize; ++i)
    text += fmt::format("{:02x}{}", std::to_integer<unsigned>(bytes[i]), i % 16 == 15 ? "\n" : "");
  return text;
}

template <std::size_t kSize = kSmpDataSize>
std::array<std::byte, kSize> random_bytes(Rng& rng) {
  std::array<std::byte, kSize> bytes;
  for (auto& byte : bytes) byte = static_cast<std::byte>(rng.below(256));
  return bytes;
}

// Random bytes are rarely a valid attribute. These functions change the few fields that have
// forbidden values.
inline void clear_bits(SmpData& data, std::size_t at, unsigned bits) {
  data[at] &= static_cast<std::byte>(~bits);
}
inline void make_port_info_valid(SmpData& data) {
  clear_bits(data, 32, 0x0C);  // PortState below 4
  clear_bits(data, 33, 0x8E);  // PortPhysicalState below 8, LinkDownDefaultState below 2
  clear_bits(data, 36, 0xC0);  // NeighborMTU, VLCap, MTUCap, OperationalVLs below 4
  clear_bits(data, 37, 0xC0);
  clear_bits(data, 41, 0x0C);
  clear_bits(data, 43, 0xC0);
}
inline void make_node_type_valid(SmpData& data) {
  data[2] = static_cast<std::byte>(1 + std::to_integer<unsigned>(data[2]) % 3);
}
inline void make_sm_state_valid(SmpData& data) { clear_bits(data, 20, 0x0C); }

}  // namespace weft
