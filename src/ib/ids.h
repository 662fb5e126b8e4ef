// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Identifiers of the InfiniBand wire formats, each with a type of its own, and limits of their
// values.
#pragma once

#include <cstdint>

#include "base/strong.h"

namespace weft {

using Guid = Strong<struct GuidTag, std::uint64_t>;
using Lid = Strong<struct LidTag, std::uint16_t>;
using PortNum = Strong<struct PortNumTag, std::uint8_t>;
using Sl = Strong<struct SlTag, std::uint8_t>;
using Vl = Strong<struct VlTag, std::uint8_t>;
using Pkey = Strong<struct PkeyTag, std::uint16_t>;
using Mkey = Strong<struct MkeyTag, std::uint64_t>;

/// LID ranges (InfiniBand Architecture Specification, volume 1, chapter 4).
inline constexpr Lid kLidNone{0};
inline constexpr Lid kLidUnicastFirst{0x0001};
inline constexpr Lid kLidUnicastLast{0xBFFF};
inline constexpr Lid kLidMulticastFirst{0xC000};
inline constexpr Lid kLidMulticastLast{0xFFFE};
inline constexpr Lid kLidPermissive{0xFFFF};
inline constexpr unsigned kUnicastLidCount = 0xBFFF;

/// The highest port number of a node; 255 is reserved (volume 1, chapter 14).
inline constexpr std::uint8_t kPortMax = 254;

inline constexpr unsigned kSlCount = 16;
inline constexpr unsigned kDataVlCount = 15;  // VL 15 carries SMPs only
inline constexpr std::uint8_t kLmcMax = 7;

constexpr bool is_unicast(Lid lid) { return lid >= kLidUnicastFirst && lid <= kLidUnicastLast; }
constexpr bool is_multicast(Lid lid) {
  return lid >= kLidMulticastFirst && lid <= kLidMulticastLast;
}

}  // namespace weft
