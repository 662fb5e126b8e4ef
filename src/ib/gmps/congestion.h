// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of the congestion control class: the settings of switches and CAs, and the congestion
// control table. Layout: InfiniBand Architecture Specification, volume 1, annex A10.4.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ib/gmp.h"

namespace weft {

inline constexpr MgmtClass kCongestionClass{0x21};
inline constexpr std::uint8_t kCongestionClassVersion = 2;

enum class CongestionAttribute : std::uint16_t {
  kSwitchCongestionSetting = 0x0014,
  kCaCongestionSetting = 0x0016,
  kCongestionControlTable = 0x0017
};

/// Offset within Gmp::data: the CC_Key is first, and the attribute comes after the space for the
/// log.
inline constexpr std::size_t kCongestionDataOffset = 40;
inline constexpr std::size_t kCongestionDataSize = kGmpDataSize - kCongestionDataOffset;  // 192
using CongestionData = std::array<std::byte, kCongestionDataSize>;

std::uint64_t cc_key(const Gmp& gmp);
void set_cc_key(Gmp& gmp, std::uint64_t key);
inline std::span<const std::byte, kCongestionDataSize> congestion_data(const Gmp& gmp) {
  return std::span(gmp.data).subspan<kCongestionDataOffset, kCongestionDataSize>();
}
inline std::span<std::byte, kCongestionDataSize> congestion_data(Gmp& gmp) {
  return std::span(gmp.data).subspan<kCongestionDataOffset, kCongestionDataSize>();
}

/// Bit p is port p; bit 0 is an enhanced port 0.
using PortMask = std::bitset<256>;

/// A delay: `multiplier` shifted right by `shift`.
struct CctEntry {
  std::uint8_t shift = 0;        // 2 bits
  std::uint16_t multiplier = 0;  // 14 bits
  bool operator==(const CctEntry&) const = default;
};

struct SwitchCongestionSetting {
  std::uint32_t control_map = 0;  // bit mask of the valid fields below
  PortMask victim_mask;
  PortMask credit_mask;
  std::uint8_t threshold = 0;  // 4 bits
  std::uint8_t packet_size = 0;
  std::uint8_t cs_threshold = 0;  // 4 bits
  CctEntry cs_return_delay;
  std::uint16_t marking_rate = 0;
  bool operator==(const SwitchCongestionSetting&) const = default;
};

struct CaCongestionEntry {
  std::uint16_t ccti_timer = 0;
  std::uint8_t ccti_increase = 0;
  std::uint8_t trigger_threshold = 0;
  std::uint8_t ccti_min = 0;
  bool operator==(const CaCongestionEntry&) const = default;
};

struct CaCongestionSetting {
  std::uint16_t port_control = 0;
  std::uint16_t control_map = 0;  // a bit for each SL
  std::array<CaCongestionEntry, kSlCount> entries{};
  bool operator==(const CaCongestionSetting&) const = default;
};

/// One block of the table; the attribute modifier is its number.
struct CongestionControlTable {
  static constexpr std::size_t kEntries = 64;
  std::uint16_t ccti_limit = 0;  // the last index of the whole table
  std::array<CctEntry, kEntries> entries{};
  bool operator==(const CongestionControlTable&) const = default;
};

CongestionData encode(const SwitchCongestionSetting& setting);
CongestionData encode(const CaCongestionSetting& setting);
CongestionData encode(const CongestionControlTable& table);
/// Decoders never fail: every bit pattern is valid.
SwitchCongestionSetting decode_switch_congestion_setting(
    std::span<const std::byte, kCongestionDataSize> data);
CaCongestionSetting decode_ca_congestion_setting(
    std::span<const std::byte, kCongestionDataSize> data);
CongestionControlTable decode_congestion_control_table(
    std::span<const std::byte, kCongestionDataSize> data);

}  // namespace weft
