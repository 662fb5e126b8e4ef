// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of routers between subnets. Layout: headers of NVIDIA's OpenSM; routers_unconfirmed.h
// has the assumptions where the headers state nothing.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>

#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

inline constexpr AttributeId kRouterInfo{0xFFD0};
inline constexpr AttributeId kRouterNextHop{0xFFD1};
inline constexpr AttributeId kAdjacentSubnets{0xFFD2};  // AdjSiteLocal
inline constexpr AttributeId kAdjacentLids{0xFFD5};     // AdjLIDInfo
inline constexpr AttributeId kRouterLids{0xFFD6};       // RouterLID
inline constexpr AttributeId kArGroupToRouterLid{0xFFD7};

struct RouterInfo {
  /// Bits of `changes`.
  static constexpr std::uint16_t kAdjacentChanged = 1u << 15, kNextHopChanged = 1u << 14,
                                 kAdjacentLidsChanged = 1u << 13, kRouterLidsChanged = 1u << 12,
                                 kRouterLidInfoChanged = 1u << 11;
  bool pfrn_capable = false;
  std::uint32_t next_hop_cap = 0;
  std::uint32_t next_hop_top = 0;
  std::uint16_t changes = 0;
  std::uint8_t adjacent_top = 0;
  std::uint8_t adjacent_cap = 0;
  std::uint8_t subnets = 0;
  std::uint16_t ar_group_to_lid_cap = 0;
  bool pfrn_enabled = false;
  std::uint8_t adjacent_lids_top = 0;
  std::uint16_t router_lid_cap = 0;
  std::uint16_t ar_group_top = 0;      // 12 bits
  std::uint32_t global_lid_first = 0;  // 20 bits, as the next three
  std::uint32_t global_lid_last = 0;
  std::uint32_t local_lid_first = 0;
  std::uint32_t local_lid_last = 0;
  bool operator==(const RouterInfo&) const = default;
};
SmpData encode(const RouterInfo& info);
RouterInfo decode_router_info(std::span<const std::byte, kSmpDataSize> data);

struct RouterNextHopBlock {
  static constexpr std::size_t kEntries = 4;
  struct Entry {
    std::uint64_t prefix = 0;
    std::uint8_t weight = 0;
    std::uint16_t pkey = 0;
    bool operator==(const Entry&) const = default;
  };
  std::array<Entry, kEntries> entries{};
  bool operator==(const RouterNextHopBlock&) const = default;
};
SmpData encode(const RouterNextHopBlock& block);
RouterNextHopBlock decode_router_next_hop_block(std::span<const std::byte, kSmpDataSize> data);

struct AdjacentSubnetBlock {
  static constexpr std::size_t kEntries = 8;
  struct Entry {
    std::uint16_t pkey = 0;
    std::uint16_t prefix = 0;
    bool pfrn = false;
    std::uint16_t ar_group_top = 0;  // 12 bits
    std::uint16_t sm_lid = 0;
    bool operator==(const Entry&) const = default;
  };
  std::array<Entry, kEntries> entries{};
  bool operator==(const AdjacentSubnetBlock&) const = default;
};
SmpData encode(const AdjacentSubnetBlock& block);
AdjacentSubnetBlock decode_adjacent_subnet_block(std::span<const std::byte, kSmpDataSize> data);

/// The global LIDs of each adjacent subnet.
struct AdjacentLidBlock {
  static constexpr std::size_t kEntries = 8;
  struct Entry {
    std::uint16_t prefix = 0;
    std::uint32_t first = 0;  // 20 bits
    std::uint32_t last = 0;   // 20 bits
    bool operator==(const Entry&) const = default;
  };
  std::array<Entry, kEntries> entries{};
  bool operator==(const AdjacentLidBlock&) const = default;
};
SmpData encode(const AdjacentLidBlock& block);
AdjacentLidBlock decode_adjacent_lid_block(std::span<const std::byte, kSmpDataSize> data);

/// Which of 512 consecutive LIDs are router LIDs.
struct RouterLidBlock {
  static constexpr std::size_t kLids = 512;
  std::bitset<kLids> lids{};
  bool operator==(const RouterLidBlock&) const = default;
};
SmpData encode(const RouterLidBlock& block);
RouterLidBlock decode_router_lid_block(std::span<const std::byte, kSmpDataSize> data);

/// The router LIDs of 32 consecutive AR groups.
struct ArGroupToLidBlock {
  static constexpr std::size_t kGroups = 32;
  std::array<std::uint16_t, kGroups> lids{};
  bool operator==(const ArGroupToLidBlock&) const = default;
};
SmpData encode(const ArGroupToLidBlock& block);
ArGroupToLidBlock decode_ar_group_to_lid_block(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
