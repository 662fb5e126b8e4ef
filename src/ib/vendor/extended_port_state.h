// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fields of ExtendedPortInfo that neither FDR10 (ib/extended_port_info.h) nor the bits of
// sharp.h, unhealthy_reason.h and planes.h use. Layout: headers of NVIDIA's OpenSM.
#pragma once

#include <cstdint>
#include <span>

#include "ib/smp.h"

namespace weft {

struct ExtendedPortState {
  /// Values of administrative_state.
  static constexpr std::uint8_t kUp = 1, kDown = 2, kDiagnostics = 3;
  /// Bit of capability_mask: the port has two M_Keys.
  static constexpr std::uint16_t kTwoMkeys = 1u << 9;
  /// Values of special_kind.
  static constexpr std::uint8_t kAggregationNode = 1, kRouter = 2, kEthernetGateway = 3;
  bool ame_enabled = false;
  bool router_lid_enabled = false;
  bool utilization_enabled = false;       // bandwidth utilization
  std::uint16_t utilization = 0;          // 10 bits
  std::uint8_t utilization_lowest = 0;    // 7 bits
  std::uint8_t administrative_state = 0;  // 3 bits
  std::uint16_t capability_mask = 0;
  bool qos_config_vl_enabled = false;
  bool is_trunk = false;  // of NVLink; otherwise an access port
  bool is_special = false;
  std::uint8_t special_kind = 0;           // 4 bits
  std::uint16_t adaptive_timeout_sls = 0;  // masks
  std::uint16_t out_of_order_sls = 0;
  bool operator==(const ExtendedPortState&) const = default;
};
ExtendedPortState decode_extended_port_state(std::span<const std::byte, kSmpDataSize> data);
/// Writes the fields of `state` into an ExtendedPortInfo; other bits are kept.
void write_extended_port_state(const ExtendedPortState& state, SmpData& data);

}  // namespace weft
