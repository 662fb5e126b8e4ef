// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Vendor-specific attributes of the congestion control class: the capabilities of a port, and its
// programmable congestion control (PPCC), with algorithms in numbered slots. Layout: headers of
// NVIDIA's OpenSM; ppcc_unconfirmed.h has the assumptions where the headers state nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ib/gmps/congestion.h"

namespace weft {

inline constexpr std::uint16_t kEnhancedCongestionInfo = 0xFF00;
inline constexpr std::uint16_t kPpccConfig = 0xFF24;
inline constexpr std::uint16_t kPpccParameters = 0xFF25;

struct EnhancedCongestionInfo {
  bool has_dcqcn = false;
  bool has_ppcc = false;
  std::uint64_t capabilities = 0;  // a bit mask; bits as below
  bool operator==(const EnhancedCongestionInfo&) const = default;

  static constexpr unsigned kStatistics = 1, kAlgorithms = 2, kGranularity = 3, kTwoKeys = 5,
                            kEachPlane = 6;
  bool has(unsigned bit) const { return (capabilities >> bit & 1) != 0; }
};

/// An algorithm that a slot can have. Id 0: none.
struct PpccAlgorithmId {
  std::uint16_t id = 0;
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  bool operator==(const PpccAlgorithmId&) const = default;
};

/// The configuration of a slot.
struct PpccConfig {
  static constexpr std::size_t kSlots = 16;
  static constexpr std::size_t kContent = 176;
  static constexpr std::uint8_t kNoContent = 0, kText = 1, kList = 2;
  bool is_enabled = false;
  bool status = false;
  bool traces = false;
  bool counts = false;
  std::uint16_t sls = 0;  // a bit for each SL
  std::uint8_t length = 0;
  std::uint8_t type = kNoContent;  // of the content
  std::array<std::byte, kContent> content{};
  bool operator==(const PpccConfig&) const = default;
};

/// The algorithms of a configuration with content kList, by slot; no algorithms for other contents.
std::array<PpccAlgorithmId, PpccConfig::kSlots> algorithms_of(const PpccConfig& config);
/// Sets the content of a configuration to a list of algorithms, by slot; at most kSlots.
void set_algorithms(PpccConfig& config, std::span<const PpccAlgorithmId> algorithms);

/// The parameters of the algorithm in a slot.
struct PpccParameters {
  static constexpr std::size_t kValues = 44;
  std::uint16_t sls = 0;  // read only
  std::uint8_t length = 0;
  std::uint8_t type = PpccConfig::kList;
  std::array<std::uint32_t, kValues> values{};
  bool operator==(const PpccParameters&) const = default;
};

CongestionData encode(const EnhancedCongestionInfo& info);
CongestionData encode(const PpccConfig& config);
CongestionData encode(const PpccParameters& parameters);
/// Decoders never fail: every bit pattern is valid.
EnhancedCongestionInfo decode_enhanced_congestion_info(
    std::span<const std::byte, kCongestionDataSize> data);
PpccConfig decode_ppcc_config(std::span<const std::byte, kCongestionDataSize> data);
PpccParameters decode_ppcc_parameters(std::span<const std::byte, kCongestionDataSize> data);

}  // namespace weft
