// Which records a request asks for: each bit of its component mask stands for a field of the
// record, and the fields that are named must be equal. Done once for all attributes, on encoded
// bytes: a table says where the fields of each bit lie.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5; bit numbers as in
// iba/ib_types.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ib/sa.h"

namespace weft {

/// A field of an encoded record: offset and width in bits. A width of 0 means that the bit is not
/// compared here: the attribute's own code looks at it.
struct Component {
  std::uint8_t bit = 0;
  std::uint16_t offset = 0;
  std::uint16_t width = 0;
};

/// The components of an attribute; empty where it has none.
std::span<const Component> components_of(SaAttribute attribute);

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
  bool asks(unsigned bit) const { return (mask_ >> bit & 1) != 0; }
  std::uint64_t mask() const { return mask_; }

 private:
  struct Byte {
    std::uint8_t at;
    std::byte mask;
    std::byte wanted;
  };
  std::uint64_t mask_ = 0;
  std::size_t used_ = 0;
  std::array<Byte, kSaDataSize> bytes_;  // so many as are used
};

}  // namespace weft
