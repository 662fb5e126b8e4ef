// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The attributes that are blocks of a larger table: GUIDs, P_Keys, SL to VL, VL arbitration and the
// two forwarding tables. The attribute modifier selects the block: ib/modifiers.h. Layout:
// InfiniBand Architecture Specification, volume 1, chapter 14.2.5. Decoders never fail: every bit
// pattern is valid.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

struct GuidInfo {
  static constexpr std::size_t kEntries = 8;
  std::array<Guid, kEntries> guids{};
  bool operator==(const GuidInfo&) const = default;
};
SmpData encode(const GuidInfo& block);
Result<GuidInfo> decode_guid_info(std::span<const std::byte, kSmpDataSize> data);

struct PkeyTable {
  static constexpr std::size_t kEntries = 32;
  std::array<Pkey, kEntries> pkeys{};
  bool operator==(const PkeyTable&) const = default;
};
SmpData encode(const PkeyTable& block);
Result<PkeyTable> decode_pkey_table(std::span<const std::byte, kSmpDataSize> data);

/// The VL of each SL from one input to one output port. VL 15 drops the packet.
struct SlToVlTable {
  std::array<Vl, kSlCount> vls{};
  bool operator==(const SlToVlTable&) const = default;
};
SmpData encode(const SlToVlTable& table);
Result<SlToVlTable> decode_sl_to_vl_table(std::span<const std::byte, kSmpDataSize> data);

struct VlWeight {
  Vl vl;                    // 4 bits
  std::uint8_t weight = 0;  // units of 64 bytes; 0 skips the entry
  bool operator==(const VlWeight&) const = default;
};
struct VlArbTable {
  static constexpr std::size_t kEntries = 32;
  std::array<VlWeight, kEntries> entries{};
  bool operator==(const VlArbTable&) const = default;
};
SmpData encode(const VlArbTable& block);
Result<VlArbTable> decode_vl_arb_table(std::span<const std::byte, kSmpDataSize> data);

/// Output ports of 64 consecutive unicast LIDs; 255 drops the packet.
struct LinearForwardingTable {
  static constexpr std::size_t kEntries = 64;
  std::array<std::uint8_t, kEntries> ports{};
  bool operator==(const LinearForwardingTable&) const = default;
};
SmpData encode(const LinearForwardingTable& block);
Result<LinearForwardingTable> decode_linear_forwarding_table(
    std::span<const std::byte, kSmpDataSize> data);

/// For each of 32 consecutive multicast LIDs, the mask of 16 output ports; bit 0 is the lowest port
/// of the position.
struct MulticastForwardingTable {
  static constexpr std::size_t kEntries = 32;
  std::array<std::uint16_t, kEntries> port_masks{};
  bool operator==(const MulticastForwardingTable&) const = default;
};
SmpData encode(const MulticastForwardingTable& block);
Result<MulticastForwardingTable> decode_multicast_forwarding_table(
    std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
