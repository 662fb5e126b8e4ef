// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MLNX ExtendedPortInfo, as far as the behaviour of such devices is known.
#include "emulator/sma.h"

namespace weft::emulator {

bool Sma::ignores(const Smp& smp, Place at) const {
  return smp.attribute == AttributeId::kMlnxExtendedPortInfo &&
         model_.options().extended_ports == ExtendedPorts::kIgnored &&
         may_support_extended_ports(model_.fabric().node(at.node).device_id);
}

/// A Set takes effect with StateChangeEnable only: then the link retrains if its speeds change.
Sma::Bits Sma::extended_port_info(Smp& smp, Place at) {
  if (model_.options().extended_ports != ExtendedPorts::kAnswered ||
      !may_support_extended_ports(model_.fabric().node(at.node).device_id))
    return mad_status::kMethodAttributeUnsupported;
  const NodeModel& node = model_.node(at.node);
  if (smp.modifier > node.port_count) return mad_status::kInvalidField;
  const PortNum num(static_cast<std::uint8_t>(smp.modifier));
  if (!node.is_switch && num != at.port) return mad_status::kInvalidField;
  const PortId target = model_.port_id(at.node, num);
  ExtendedPortInfo& info = model_.port(target).extended;
  if (smp.method == Method::kSet) {
    const ExtendedPortInfo wanted = *decode_extended_port_info(smp.data);
    if ((wanted.link_speed_enabled & ~info.link_speed_supported) != 0)
      return mad_status::kInvalidField;
    if (wanted.state_change_enable == 1 && wanted.link_speed_enabled != info.link_speed_enabled) {
      info.link_speed_enabled = wanted.link_speed_enabled;
      if (model_.wire(target).state > PortState::kDown) links_.command_down(target);
    }
  }
  smp.data = encode(info);
  return mad_status::kGood;
}

}  // namespace weft::emulator
