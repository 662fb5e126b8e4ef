// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attribute modifiers: the port or block of an attribute that an SMP addresses. A function encodes
// the 32 bits; a modifier with several fields also has a struct and a function that decodes them.
// Source: InfiniBand Architecture Specification, volume 1, chapter 14.2.5, "Attribute Modifier".
#pragma once

#include <cstdint>

#include "ib/ids.h"

namespace weft::modifier {

/// PortInfo: port 0 on a CA is the port that receives the SMP. Bit 31 states that the SM supports
/// the extended speed fields.
struct PortInfo {
  PortNum port;
  bool sm_supports_extended_speeds = false;
  bool operator==(const PortInfo&) const = default;
};
constexpr std::uint32_t port_info(PortNum port, bool sm_supports_extended_speeds = false) {
  return port.value() | (sm_supports_extended_speeds ? 0x80000000u : 0u);
}
constexpr PortInfo read_port_info(std::uint32_t bits) {
  return {PortNum(static_cast<std::uint8_t>(bits)), (bits & 0x80000000u) != 0};
}

/// P_KeyTable: block of 32 entries; the port matters on switches only.
struct PkeyTable {
  std::uint16_t block = 0;
  std::uint16_t port = 0;
  bool operator==(const PkeyTable&) const = default;
};
constexpr std::uint32_t pkey_table(std::uint16_t block, PortNum port = PortNum(0)) {
  return static_cast<std::uint32_t>(port.value()) << 16 | block;
}
constexpr PkeyTable read_pkey_table(std::uint32_t bits) {
  return {static_cast<std::uint16_t>(bits), static_cast<std::uint16_t>(bits >> 16)};
}

/// SLtoVLMappingTable: on switches the pair of input and output port; on CAs 0. With `every_pair`,
/// a switch with OptimizedSLtoVLMappingProgramming sets the tables of all pairs at once.
struct SlToVl {
  PortNum in;
  PortNum out;
  bool every_pair = false;
  bool operator==(const SlToVl&) const = default;
};
inline constexpr std::uint32_t kSlToVlEveryPair = 0x30000;
constexpr std::uint32_t sl_to_vl(PortNum in, PortNum out) {
  return static_cast<std::uint32_t>(in.value()) << 8 | out.value();
}
constexpr SlToVl read_sl_to_vl(std::uint32_t bits) {
  return {PortNum(static_cast<std::uint8_t>(bits >> 8)), PortNum(static_cast<std::uint8_t>(bits)),
          (bits & kSlToVlEveryPair) == kSlToVlEveryPair};
}

/// VLArbitrationTable: each of the two tables has up to two blocks of 32 entries.
enum class VlArbBlock : std::uint16_t {
  kLowFirst = 1,
  kLowSecond = 2,
  kHighFirst = 3,
  kHighSecond = 4
};
struct VlArb {
  VlArbBlock block{};
  std::uint16_t port = 0;
  bool operator==(const VlArb&) const = default;
};
constexpr std::uint32_t vl_arb(VlArbBlock block, PortNum port) {
  return static_cast<std::uint32_t>(block) << 16 | port.value();
}
constexpr VlArb read_vl_arb(std::uint32_t bits) {
  return {static_cast<VlArbBlock>(bits >> 16), static_cast<std::uint16_t>(bits)};
}

/// LinearForwardingTable: block b holds LIDs 64 b to 64 b + 63.
constexpr std::uint32_t linear_forwarding_table(std::uint32_t block) { return block; }

/// MulticastForwardingTable: block b has the 32 LIDs from 0xC000 + 32 b, position p the 16 ports
/// from 16 p.
struct MulticastForwardingTable {
  std::uint16_t block = 0;    // 9 bits
  std::uint8_t position = 0;  // 4 bits
  bool operator==(const MulticastForwardingTable&) const = default;
};
constexpr std::uint32_t multicast_forwarding_table(std::uint16_t block, std::uint8_t position) {
  return static_cast<std::uint32_t>(position) << 28 | block;
}
constexpr MulticastForwardingTable read_multicast_forwarding_table(std::uint32_t bits) {
  return {static_cast<std::uint16_t>(bits & 0x1FF), static_cast<std::uint8_t>(bits >> 28)};
}

/// GUIDInfo: block of 8 GUIDs.
constexpr std::uint32_t guid_info(std::uint8_t block) { return block; }

}  // namespace weft::modifier
