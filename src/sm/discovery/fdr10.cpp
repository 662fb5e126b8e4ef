// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/fdr10.h"

namespace weft {

bool Fdr10Devices::should_query(const NodeInfo& node, const PortInfo& port) const {
  constexpr std::uint8_t kQdrBit = 4;
  return link_is_up(port) && (port.link_speed_supported & kQdrBit) != 0 &&
         port.link_speed_ext_active == 0 && port.link_speed_ext2_active == 0 &&
         may_support_extended_ports(node.device_id) && !without_.contains(node.node_guid) &&
         !silent_.contains(kind(node));
}

void Fdr10Devices::answered(const NodeInfo& node) {
  answering_.insert(kind(node));
  silent_.erase(kind(node));
}

void Fdr10Devices::note_silence(const NodeInfo& node) {
  without_.insert(node.node_guid);
  if (!answering_.contains(kind(node))) silent_.insert(kind(node));
}

std::optional<ExtendedPortInfo> wanted_extended_port_info(const ObservedNode& node, PortNum port,
                                                          Fdr10 fdr10) {
  ExtendedPortInfo info = node.extended_at(port);
  const bool supported = (info.link_speed_supported & kFdr10Bit) != 0;
  const bool enabled = (info.link_speed_enabled & kFdr10Bit) != 0;
  if (fdr10 == Fdr10::kIgnore || !supported || enabled == (fdr10 == Fdr10::kOn))
    return std::nullopt;
  info.state_change_enable = 1;
  info.link_speed_enabled ^= kFdr10Bit;
  return info;
}

}  // namespace weft
