// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MLNX ExtendedPortInfo, a vendor-specific attribute for FDR10, a lane speed of 10.3125 Gbit/s that
// PortInfo reports as QDR. The attribute modifier is the port number. Layout: infiniband/mad.h of
// libibmad, and the SMPs that OpenSM sends (docs/reference/differences-from-opensm.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "ib/port_info.h"
#include "ib/smp.h"

namespace weft {

inline constexpr std::uint8_t kFdr10Bit = 1;  // bit of the speed masks

struct ExtendedPortInfo {
  std::uint8_t state_change_enable = 0;   // in a Set, 1: retrain the link
  std::uint8_t link_speed_supported = 0;  // masks
  std::uint8_t link_speed_enabled = 0;
  std::uint8_t link_speed_active = 0;
  bool operator==(const ExtendedPortInfo&) const = default;
};

/// With 0 in the fields that ExtendedPortInfo lacks.
SmpData encode(const ExtendedPortInfo& info);
/// Writes the fields of `info` into an attribute that was read; other fields are kept.
void write_extended_port_info(const ExtendedPortInfo& info, SmpData& data);
/// Never fails.
Result<ExtendedPortInfo> decode_extended_port_info(std::span<const std::byte, kSmpDataSize> data);

/// Whether a device of this id may support the attribute. The vendor id is no indication, because
/// other vendors sell these chips under their own vendor ids.
bool may_support_extended_ports(std::uint16_t device_id);

/// The speed of a link, including FDR10; none if PortInfo has no defined bit of a speed.
std::optional<LinkSpeed> active_speed(const PortInfo& info, const ExtendedPortInfo& extended);

}  // namespace weft
