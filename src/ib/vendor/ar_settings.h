// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Settings of adaptive-routing switches that have attributes of their own: the hash of hash-based
// forwarding (HBF), the weights of sub-groups (WHBF), and persistent fault notifications (pFRN).
// Layout: headers of NVIDIA's OpenSM; adaptive_unconfirmed.h has the assumptions where the headers
// state nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

/// HBFConfig, 20 bytes: how a switch computes the hash of a packet.
struct HbfConfig {
  static constexpr std::uint8_t kCrc = 0, kXor = 1;
  static constexpr std::uint8_t kConfiguredSeed = 0, kRandomSeed = 1;
  // Fields that a switch hashes only if AdaptiveRoutingInfo announces the capability
  static constexpr std::uint64_t kDestinationQp = 1u << 20;           // of the BTH
  static constexpr std::uint64_t kDcethFields = 1u << 22 | 1u << 23;  // source QP, ISID
  std::uint8_t hash = kCrc;                                           // 4 bits
  std::uint8_t seed_type = kConfiguredSeed;                           // 2 bits
  std::uint32_t seed = 0;
  std::uint64_t fields = 0;  // mask of the fields of a packet that are hashed
  bool operator==(const HbfConfig&) const = default;
};
SmpData encode(const HbfConfig& config);
HbfConfig decode_hbf_config(std::span<const std::byte, kSmpDataSize> data);

/// WHBFConfig: the weights by which HBF divides the traffic of a group among its sub-groups.
struct WhbfBlock {
  static constexpr std::size_t kGroups = 16;
  static constexpr std::size_t kSubGroups = 3;
  std::array<std::array<std::uint8_t, kSubGroups>, kGroups> weights{};  // by group
  bool operator==(const WhbfBlock&) const = default;
};
SmpData encode(const WhbfBlock& block);
WhbfBlock decode_whbf_block(std::span<const std::byte, kSmpDataSize> data);

/// pFRNConfig, 60 bytes. A switch sends a pFRN to its neighbors as a packet of management class
/// 0x0C; the neighbors mask the port for the destination until the mask is cleared.
struct PfrnConfig {
  static constexpr std::uint8_t kTree = 0, kDragonflyPlus = 1;
  static constexpr std::uint16_t kClearMax = 0x7FF;
  bool selects_policy = false;      // the switch supports a choice of the policy
  std::uint8_t sl = 0;              // 4 bits, SL of the notifications
  std::uint8_t policy = kTree;      // 4 bits; the sub-groups that are masked: 0, or 0 and 1
  std::uint16_t force_clear_s = 0;  // seconds after which a mask is always cleared
  std::uint16_t clear_s = 0;        // seconds after the last notification, at most kClearMax
  bool operator==(const PfrnConfig&) const = default;
};
SmpData encode(const PfrnConfig& config);
PfrnConfig decode_pfrn_config(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
