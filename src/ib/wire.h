// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Bit fields in the form of the specification's tables: an offset in bits from the start of the
// attribute, most significant bit first, and a width. A layout is one template function that names
// each field once; FieldReader and FieldWriter apply it in one direction each, so that encode and
// decode cannot disagree. A layout passes offsets and widths as constants, so that an inlined field
// costs a few instructions instead of about fifty. A PathRecord, for instance, has two dozen
// fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <type_traits>

#include "base/check.h"
#include "base/result.h"

namespace weft::wire {

/// Converts a number, an enumerator, a bool or a Strong to bits and back.
template <class T>
constexpr std::uint64_t to_bits(const T& value) {
  if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
    return static_cast<std::uint64_t>(value);
  else
    return value.value();
}
template <class T>
constexpr T from_bits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits != 0;
  else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
    return static_cast<T>(bits);
  else
    return T(static_cast<typename T::rep>(bits));
}

constexpr std::uint64_t mask(unsigned width) {
  return width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// Reads `width` bits (at most 64, spread over at most 8 bytes) at bit `offset`.
[[gnu::always_inline]] inline std::uint64_t read_bits(const std::byte* bytes, unsigned offset,
                                                      unsigned width) {
  const unsigned first = offset / 8;
  const unsigned last = (offset + width - 1) / 8;
  std::uint64_t value = 0;
  for (unsigned i = first; i <= last; ++i)
    value = (value << 8) | std::to_integer<std::uint64_t>(bytes[i]);
  return (value >> ((last + 1) * 8 - offset - width)) & mask(width);
}

/// Sets `width` bits at bit `offset`; other bits are kept.
[[gnu::always_inline]] inline void write_bits(std::byte* bytes, unsigned offset, unsigned width,
                                              std::uint64_t value) {
  const unsigned first = offset / 8;
  const unsigned last = (offset + width - 1) / 8;
  const unsigned shift = (last + 1) * 8 - offset - width;
  std::uint64_t keep = ~(mask(width) << shift);
  value <<= shift;
  for (unsigned i = last + 1; i-- > first; value >>= 8, keep = (keep >> 8) | (0xFFULL << 56))
    bytes[i] = static_cast<std::byte>((std::to_integer<std::uint64_t>(bytes[i]) & keep & 0xFF) |
                                      (value & 0xFF));
}

class FieldReader {
 public:
  explicit FieldReader(const std::byte* bytes) : bytes_(bytes) {}
  template <class T>
  [[gnu::always_inline]] void operator()(unsigned offset, unsigned width, T& value) {
    value = from_bits<T>(read_bits(bytes_, offset, width));
  }
  /// Copies whole bytes, from byte `first`.
  void run(unsigned first, std::span<std::byte> values) {
    std::memcpy(values.data(), bytes_ + first, values.size());
  }

 private:
  const std::byte* bytes_;
};

/// Writes fields into bytes; bits outside of the fields are kept. CHECKs that each value fits its
/// field.
class FieldWriter {
 public:
  explicit FieldWriter(std::byte* bytes) : bytes_(bytes) {}
  template <class T>
  [[gnu::always_inline]] void operator()(unsigned offset, unsigned width, const T& value) {
    const std::uint64_t bits = to_bits(value);
    CHECK((bits & ~mask(width)) == 0);
    write_bits(bytes_, offset, width, bits);
  }
  void run(unsigned first, std::span<const std::byte> values) {
    std::memcpy(bytes_ + first, values.data(), values.size());
  }

 private:
  std::byte* bytes_;
};

/// The error of a decoder: attribute and field, offset, value found, value expected.
template <class T>
tl::unexpected<Error> bad_field(const char* field, unsigned offset, const T& value,
                                const char* wanted) {
  return fail(Code::kBadField, "{} at bit {} is {}, expected {}", field, offset, to_bits(value),
              wanted);
}

/// Byte arrays that are copied unchanged: GIDs, names, paths.
template <class Op, class Bytes>
[[gnu::always_inline]] inline void bytes(Op& field, unsigned offset, Bytes& values) {
  using Value = std::remove_cvref_t<decltype(*std::begin(values))>;
  if constexpr (std::is_same_v<Value, std::byte>) {
    field.run(offset / 8, values);  // all such fields start at a byte boundary
  } else {
    for (auto& value : values) {
      field(offset, 8, value);
      offset += 8;
    }
  }
}

}  // namespace weft::wire
