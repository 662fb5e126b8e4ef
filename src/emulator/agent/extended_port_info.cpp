// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/extended_port_info.h"

#include "ib/extended_port_info.h"

namespace weft::emulator {

bool ignores_extended_port_info(const Model& model, const Smp& smp, Place at) {
  return smp.attribute == AttributeId::kMlnxExtendedPortInfo &&
         model.options().extended_ports == ExtendedPorts::kIgnored &&
         may_support_extended_ports(model.device_id(at.node));
}

MadStatus serve_extended_port_info(Model& model, Links& links, Smp& smp, Place at) {
  if (model.options().extended_ports != ExtendedPorts::kAnswered ||
      !may_support_extended_ports(model.device_id(at.node)))
    return mad_status::kMethodAttributeUnsupported;
  const NodeModel& node = model.node(at.node);
  if (smp.modifier > node.port_count) return mad_status::kInvalidField;
  const PortNum num(static_cast<std::uint8_t>(smp.modifier));
  if (!node.is_switch && num != at.port) return mad_status::kInvalidField;
  const PortId target = model.port_id(at.node, num);
  ExtendedPortInfo& info = model.port(target).extended;
  if (smp.method == Method::kSet) {
    const ExtendedPortInfo wanted = *decode_extended_port_info(smp.data);
    if ((wanted.link_speed_enabled & ~info.link_speed_supported) != 0)
      return mad_status::kInvalidField;
    if (wanted.state_change_enable == 1 && wanted.link_speed_enabled != info.link_speed_enabled) {
      info.link_speed_enabled = wanted.link_speed_enabled;
      if (model.wire(target).state > PortState::kDown) links.command_down(target);
    }
  }
  smp.data = encode(info);
  return mad_status::kGood;
}

}  // namespace weft::emulator
