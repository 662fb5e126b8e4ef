// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// QoSConfigSL, QoSConfigVL, and the form of SLtoVLMappingTable with masks of ports. Layout: headers
// of NVIDIA's OpenSM; qos_settings_unconfirmed.h has the assumptions where the headers state
// nothing.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>

#include "ib/ids.h"
#include "ib/smp.h"
#include "ib/tables.h"

namespace weft {

inline constexpr AttributeId kQosConfigSl{0xFF82};
inline constexpr AttributeId kQosConfigVl{0xFF85};

/// Bit of the attribute modifier: QoSConfigSL of a vport, QoSConfigVL of a profile.
inline constexpr std::uint32_t kQosOfVportOrProfile = std::uint32_t{1} << 31;

/// Share of the bandwidth and rate limit of each SL.
struct QosConfigSl {
  struct Entry {
    std::uint16_t share = 0;       // 12 bits
    std::uint32_t rate_limit = 0;  // 20 bits
    bool operator==(const Entry&) const = default;
  };
  std::array<Entry, kSlCount> sls{};
  bool operator==(const QosConfigSl&) const = default;
};
SmpData encode(const QosConfigSl& config);
QosConfigSl decode_qos_config_sl(std::span<const std::byte, kSmpDataSize> data);

/// Buffer and data types of each data VL.
struct QosConfigVl {
  static constexpr std::size_t kVls = 15;
  static constexpr std::uint16_t kInfiniBand = 1;  // bit of data_types
  struct Entry {
    std::uint8_t buffer_weight = 0;
    std::uint16_t data_types = 0;  // mask
    bool head_of_queue_life_off = false;
    bool operator==(const Entry&) const = default;
  };
  std::array<Entry, kVls> vls{};
  bool operator==(const QosConfigVl&) const = default;
};
SmpData encode(const QosConfigVl& config);
QosConfigVl decode_qos_config_vl(std::span<const std::byte, kSmpDataSize> data);

/// SLtoVLMappingTable of a switch with bit 1 of SwitchInfo's OptimizedSLtoVLMappingProgramming: one
/// map for all pairs of an input and an output port in the masks. Bit p of a mask is port p.
struct SlToVlOfPorts {
  SlToVlTable map;
  std::bitset<128> inputs{};
  std::bitset<128> outputs{};
  bool operator==(const SlToVlOfPorts&) const = default;
};
SmpData encode(const SlToVlOfPorts& table);
SlToVlOfPorts decode_sl_to_vl_of_ports(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
