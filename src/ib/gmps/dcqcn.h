// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Vendor-specific attributes of the congestion control class for DCQCN: the marking of packets by
// switches, and the reaction point and notification point of CA ports. EnhancedCongestionInfo
// announces DCQCN. Layout: headers of NVIDIA's OpenSM; dcqcn_unconfirmed.h has the assumptions
// where the headers state nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ib/gmps/congestion.h"

namespace weft {

inline constexpr std::uint16_t kDcqcnSwitchGeneral = 0xFF08;  // attributes of switches
inline constexpr std::uint16_t kDcqcnPortProfiles = 0xFF09;
inline constexpr std::uint16_t kDcqcnSlMap = 0xFF10;
inline constexpr std::uint16_t kDcqcnCaGeneral = 0xFF20;  // attributes of CA ports
inline constexpr std::uint16_t kDcqcnReactionPoint = 0xFF21;
inline constexpr std::uint16_t kDcqcnNotificationPoint = 0xFF22;

struct DcqcnSwitchGeneral {
  static constexpr std::uint32_t kAveragingTimeMax = 24;
  bool is_enabled = false;
  std::uint32_t averaging_weight = 0;  // 8 bits
  std::uint32_t averaging_time = 0;    // 8 bits; 2^n * 64 ns
  std::uint32_t buffer_bytes = 0;      // read only
  std::uint32_t profile_step = 0;      // 8 bits; KB
  bool operator==(const DcqcnSwitchGeneral&) const = default;
};

struct DcqcnProfile {
  std::uint32_t minimum = 0;
  std::uint32_t percent = 0;  // 7 bits
  std::uint32_t maximum = 0;  // 20 bits
  bool operator==(const DcqcnProfile&) const = default;
};

/// The profiles of a switch port.
struct DcqcnPortProfiles {
  static constexpr std::size_t kProfiles = 3;  // numbered from 1 in the SL map
  bool is_percent = false;
  bool is_kilobytes = false;
  std::uint16_t vls = 0;  // a bit for each VL
  std::array<DcqcnProfile, kProfiles> profiles{};
  bool operator==(const DcqcnPortProfiles&) const = default;
};

/// The number of the profile of each SL, from 1.
struct DcqcnSlMap {
  std::array<std::uint8_t, kSlCount> profiles{};  // 2 bits each
  bool operator==(const DcqcnSlMap&) const = default;
};

struct DcqcnCaGeneral {
  bool notifies = false;
  bool reacts = false;
  bool is_per_plane = false;
  bool operator==(const DcqcnCaGeneral&) const = default;
};

struct DcqcnReactionPoint {
  bool clamp_bit_7 = false;
  bool clamp_bit_6 = false;
  std::uint32_t time_reset = 0;         // 17 bits; us
  std::uint32_t byte_reset = 0;         // 19 bits
  std::uint32_t threshold = 0;          // 5 bits
  std::uint32_t highest_rate = 0;       // 19 bits; Mb/s
  std::uint32_t additive_increase = 0;  // 16 bits
  std::uint32_t hyper_increase = 0;     // 16 bits
  std::uint32_t decrease = 0;           // 4 bits
  std::uint32_t least_decrease = 0;     // 8 bits; percent
  std::uint32_t least_rate = 0;
  std::uint32_t first_cnp_rate = 0;  // rate at the first congestion notification packet (CNP)
  std::uint32_t g = 0;               // 10 bits
  std::uint32_t rtt = 0;             // 17 bits
  std::uint32_t monitor_period = 0;  // us
  std::uint32_t first_alpha = 0;     // 10 bits
  bool operator==(const DcqcnReactionPoint&) const = default;
};

struct DcqcnNotificationPoint {
  std::uint32_t cnp_interval = 0;  // 16 bits; us between CNPs
  bool has_cnp_sl = false;
  bool has_rtt_sl = false;
  std::uint32_t rtt_sl = 0;  // 8 bits
  std::uint32_t cnp_sl = 0;  // 8 bits
  bool operator==(const DcqcnNotificationPoint&) const = default;
};

CongestionData encode(const DcqcnSwitchGeneral& general);
CongestionData encode(const DcqcnPortProfiles& profiles);
CongestionData encode(const DcqcnSlMap& map);
CongestionData encode(const DcqcnCaGeneral& general);
CongestionData encode(const DcqcnReactionPoint& point);
CongestionData encode(const DcqcnNotificationPoint& point);
/// Decoders never fail: every bit pattern is valid.
DcqcnSwitchGeneral decode_dcqcn_switch_general(
    std::span<const std::byte, kCongestionDataSize> data);
DcqcnPortProfiles decode_dcqcn_port_profiles(std::span<const std::byte, kCongestionDataSize> data);
DcqcnSlMap decode_dcqcn_sl_map(std::span<const std::byte, kCongestionDataSize> data);
DcqcnCaGeneral decode_dcqcn_ca_general(std::span<const std::byte, kCongestionDataSize> data);
DcqcnReactionPoint decode_dcqcn_reaction_point(
    std::span<const std::byte, kCongestionDataSize> data);
DcqcnNotificationPoint decode_dcqcn_notification_point(
    std::span<const std::byte, kCongestionDataSize> data);

/// Values for some bits of an attribute; the other bits keep the values of the device.
struct DcqcnFields {
  CongestionData mask{};   // 1: the bit has a value
  CongestionData value{};  // 0 where `mask` is 0
  bool operator==(const DcqcnFields&) const = default;

  bool is_empty() const;
  /// `data` with the values.
  CongestionData apply_to(std::span<const std::byte, kCongestionDataSize> data) const;
  bool agrees_with(std::span<const std::byte, kCongestionDataSize> data) const;
  /// Adds values; they replace the values of the same bits.
  void add(const DcqcnFields& later);
  /// Removes the values of the bits that are 1 in `bits`.
  void remove(const CongestionData& bits);
};

}  // namespace weft
