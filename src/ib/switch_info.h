// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SwitchInfo: table sizes and forwarding parameters of a switch.
// Layout: InfiniBand Architecture Specification, volume 1, chapter 14.2.5.4.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "ib/ids.h"
#include "ib/smp.h"

namespace weft {

struct SwitchInfo {
  std::uint16_t linear_fdb_cap = 0;  // number of entries
  std::uint16_t random_fdb_cap = 0;
  std::uint16_t multicast_fdb_cap = 0;  // number of entries
  std::uint16_t linear_fdb_top = 0;     // the highest LID that is forwarded
  PortNum default_port;
  PortNum default_multicast_primary_port;
  PortNum default_multicast_not_primary_port;
  std::uint8_t life_time_value = 0;  // 4.096 us * 2^n; above 19 packets have no lifetime limit
  bool port_state_change = false;    // in a Set: 1 clears it
  std::uint8_t optimized_sl2vl = 0;  // OptimizedSLtoVLMappingProgramming, 0: not supported
  std::uint16_t lids_per_port = 0;
  std::uint16_t partition_enforcement_cap = 0;
  bool inbound_enforcement_cap = false;
  bool outbound_enforcement_cap = false;
  bool filter_raw_inbound_cap = false;
  bool filter_raw_outbound_cap = false;
  bool enhanced_port0 = false;
  Lid multicast_fdb_top;  // the highest multicast LID that is forwarded; 0xBFFF: none
  bool operator==(const SwitchInfo&) const = default;
};

SmpData encode(const SwitchInfo& info);
/// Never fails: every bit pattern is valid.
Result<SwitchInfo> decode_switch_info(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
