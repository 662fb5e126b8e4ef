// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Numbers in the data of a GMP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft {

/// The big-endian number of `size` bytes at `offset`.
inline std::uint64_t number_at(std::span<const std::byte> data, std::size_t offset,
                               std::size_t size) {
  std::uint64_t value = 0;
  for (const std::byte byte : data.subspan(offset, size))
    value = value << 8 | std::to_integer<std::uint64_t>(byte);
  return value;
}

}  // namespace weft
