// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/extended_port_info.h"

#include <algorithm>
#include <array>

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Info>
void extended_port_info_layout(Op field, Info& info) {
  field(24, 8, info.state_change_enable);
  field(56, 8, info.link_speed_supported);
  field(88, 8, info.link_speed_enabled);
  field(120, 8, info.link_speed_active);
}

struct DeviceIds {
  std::uint16_t first;
  std::uint16_t last;
};
/// The devices to which OpenSM 3.3.23 sends the attribute, determined by runs of OpenSM on nodes
/// with many device ids.
constexpr std::array<DeviceIds, 6> kDevices{{{0x1003, 0x101B},    // ConnectX-3 to ConnectX-6
                                             {0xA2D2, 0xA2D2},    // BlueField
                                             {0xC738, 0xC73B},    // SwitchX
                                             {0xCB20, 0xCB20},    // Switch-IB
                                             {0xCF08, 0xCF09},    // Switch-IB 2
                                             {0xD2F0, 0xD2F0}}};  // Quantum

}  // namespace

SmpData encode(const ExtendedPortInfo& info) {
  SmpData data{};
  write_extended_port_info(info, data);
  return data;
}

void write_extended_port_info(const ExtendedPortInfo& info, SmpData& data) {
  extended_port_info_layout(wire::FieldWriter(data.data()), info);
}

Result<ExtendedPortInfo> decode_extended_port_info(std::span<const std::byte, kSmpDataSize> data) {
  ExtendedPortInfo info;
  extended_port_info_layout(wire::FieldReader(data.data()), info);
  return info;
}

bool may_support_extended_ports(std::uint16_t device_id) {
  return std::ranges::any_of(kDevices, [&](const DeviceIds& ids) {
    return ids.first <= device_id && device_id <= ids.last;
  });
}

std::optional<LinkSpeed> active_speed(const PortInfo& info, const ExtendedPortInfo& extended) {
  const auto speed = active_speed(info);
  if (speed == LinkSpeed::kQdr && (extended.link_speed_active & kFdr10Bit) != 0)
    return LinkSpeed::kFdr10;
  return speed;
}

}  // namespace weft
