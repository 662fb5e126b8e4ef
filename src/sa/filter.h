// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Selects records by the component mask of a request: each bit represents a field, and the selected
// fields must be equal. The filter compares encoded records of any attribute; a table of the
// attribute has the position of each bit's field.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5; bit numbers as in
// iba/ib_types.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ib/sa.h"

namespace weft {

/// A field of an encoded record: offset and width in bits. The filter does not compare a field with
/// width 0; the attribute's handler does.
struct Component {
  std::uint8_t bit = 0;
  std::uint16_t offset = 0;
  std::uint16_t width = 0;
};

class RecordFilter {
 public:
  RecordFilter() = default;
  /// `wanted` is the record of the request.
  RecordFilter(std::span<const Component> components, std::uint64_t mask,
               std::span<const std::byte> wanted);

  bool matches(std::span<const std::byte> record) const {
    for (std::size_t i = 0; i < used_; ++i) {
      const Byte& byte = bytes_[i];
      if (byte.at >= record.size() || ((record[byte.at] ^ byte.wanted) & byte.mask) != std::byte{0})
        return false;
    }
    return true;
  }
  /// Whether the component mask has this bit.
  bool has_component(unsigned bit) const { return (mask_ >> bit & 1) != 0; }
  std::uint64_t mask() const { return mask_; }

 private:
  struct Byte {
    std::uint8_t at;
    std::byte mask;
    std::byte wanted;
  };
  std::uint64_t mask_ = 0;
  std::size_t used_ = 0;
  std::array<Byte, kSaDataSize> bytes_;  // the first used_ are valid
};

}  // namespace weft
