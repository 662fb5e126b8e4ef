// Adaptive routing attributes, a vendor's: whether a switch can choose ports by load, groups of
// ports, and forwarding entries that name a group. Layout: attribute lists of public diagnostic
// tools (docs/adaptive-routing.md); what no second source confirms is in adaptive_unconfirmed.h.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>

#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

inline constexpr AttributeId kAdaptiveRoutingInfo{0xFF20};
inline constexpr AttributeId kArGroupTable{0xFF21};
inline constexpr AttributeId kArForwardingTable{0xFF23};  // ARLinearForwardingTableSX

/// What a switch can do, and what it does.
struct AdaptiveRoutingInfo {
  bool enabled = false;
  bool arn_capable = false;  // notifications between switches
  bool frn_capable = false;
  bool fallback_capable = false;
  bool fallback_enabled = false;
  bool rn_transmission = false;
  std::uint8_t sub_groups_active = 0;  // 4 bits; 0: a group is one set of ports
  std::uint8_t group_copy = 0;         // 4 bits
  std::uint8_t directions = 0;         // supported
  bool no_fallback = false;            // what writing a plain table does: 0 ends AR, 1 is an error
  bool global_groups = false;
  bool by_sl_capable = false;
  bool by_sl_enabled = false;
  bool by_transport_capable = false;
  std::uint16_t group_capacity = 0;  // 12 bits; 0: the switch cannot choose
  std::uint16_t group_top = 0;       // 12 bits: the highest group in use
  std::uint8_t group_tables = 0;     // 4 bits
  std::uint8_t string_width = 0;     // 4 bits
  std::uint8_t version = 0;          // 4 bits, of AR
  std::uint8_t rn_version = 0;       // 4 bits
  std::uint8_t sub_groups = 0;       // supported
  std::uint16_t sl_mask = 0;
  std::uint8_t transports_excluded = 0;
  std::uint32_t ageing_time_us = 0;  // silence that ends a burst
  bool operator==(const AdaptiveRoutingInfo&) const = default;
};
SmpData encode(const AdaptiveRoutingInfo& info);
AdaptiveRoutingInfo decode_adaptive_routing_info(std::span<const std::byte, kSmpDataSize> data);

/// Some groups, one after the other: bit p of each is port p.
struct ArGroupBlock {
  static constexpr std::size_t kGroups = 2;
  std::array<std::bitset<256>, kGroups> groups{};
  bool operator==(const ArGroupBlock&) const = default;
};
SmpData encode(const ArGroupBlock& block);
ArGroupBlock decode_ar_group_block(std::span<const std::byte, kSmpDataSize> data);

/// One LID of a forwarding table that names groups.
struct ArLftEntry {
  std::uint8_t state = 2;     // 2 bits: 0 bounded, 1 free, 2 static
  std::uint8_t table = 0;     // 4 bits: which group table
  PortNum default_port{255};  // the port of static routing
  std::uint16_t group = 0;    // 12 bits
  bool operator==(const ArLftEntry&) const = default;
};
struct ArLftBlock {
  static constexpr std::size_t kEntries = 16;
  std::array<ArLftEntry, kEntries> entries{};
  bool operator==(const ArLftBlock&) const = default;
};
SmpData encode(const ArLftBlock& block);
ArLftBlock decode_ar_lft_block(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
