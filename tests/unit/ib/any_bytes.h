// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Random bytes as the data of a packet, for properties of RapidCheck.
#pragma once

#include <rapidcheck.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ib/smp.h"

namespace weft {

template <std::size_t kSize>
std::array<std::byte, kSize> any_bytes() {
  const auto values =
      *rc::gen::container<std::vector<std::uint8_t>>(kSize, rc::gen::arbitrary<std::uint8_t>());
  std::array<std::byte, kSize> bytes;
  for (std::size_t i = 0; i < kSize; ++i) bytes[i] = static_cast<std::byte>(values[i]);
  return bytes;
}

/// For attributes in which each value of each byte is valid, in place of the functions of bytes.h
/// that make random bytes valid.
inline void leave_unchanged(SmpData&) {}

}  // namespace weft
