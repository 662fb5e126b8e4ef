// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// All vendor-specific attributes that Weft knows, in one table: their codecs, and whether the
// manager reads or writes them. A test compares the table with the codecs, their tests, the fuzzing
// target, and docs/reference/vendor-attributes.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weft {

enum class AttributeUse : std::uint8_t {
  kReadAndWritten,
  kRead,
  kWritten,
  kUnused,  // decoded and encoded only: neither requested nor written by the manager
  kNoCodec  // the layout is not known
};

struct VendorAttribute {
  std::uint16_t id = 0;
  std::string_view class_name;  // "SMP", or the number of the class of GMPs
  std::string_view name;
  std::string_view announced_by;
  AttributeUse use = AttributeUse::kUnused;
  /// Separated by '|': names of decoders without the prefix `decode_`; empty without codec.
  std::string_view codecs;
  /// Names of constants in the code, separated by '|'; empty if the attribute has none of its own.
  std::string_view constants;
  std::string_view note;
};

/// By class and id.
std::span<const VendorAttribute> vendor_attributes();

}  // namespace weft
