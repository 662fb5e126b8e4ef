// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/extended_port_info.h"

#include <memory>

#include "emulator/agent/recovery_attributes.h"
#include "ib/extended_port_info.h"
#include "ib/vendor/planes.h"
#include "ib/vendor/port_recovery_unconfirmed.h"

namespace weft::emulator {
namespace {

bool has_extended_port_info(const Model& model, NodeId node) {
  return may_support_extended_ports(model.device_id(node)) || model.planar().has_fnm_ports(node);
}

/// The fields of ExtendedPortInfo other than PortModel::extended.
SmpData rest_of(const Model& model, NodeId node, PortId port) {
  if (model.port(port).extended_rest) return *model.port(port).extended_rest;
  SmpData rest = extended_port_info_of_power_up();
  if (model.planar().has_fnm_ports(node)) set_fnm_port(rest, model.planar().fnm_port(port));
  const FeatureSupport support = recovery_support(model, {node, PortNum(0)});
  if (support == FeatureSupport::kFull || support == FeatureSupport::kPart)
    set_unhealthy_reason(rest, UnhealthyReason::kNone);
  return rest;
}

void store_rest(PortModel& port, const SmpData& rest) {
  port.extended_rest = std::make_unique<SmpData>(rest);
}

/// Stores the fields that are not read only.
void set_rest(Model& model, NodeId node, PortId port, SmpData set) {
  const SmpData held = rest_of(model, node, port);
  set_unhealthy_reason(set, unhealthy_reason(held));
  set_fnm_port(set, decode_fnm_port(held));
  const bool clears = is_port_recovered(set) == recovery_unconfirmed::kClearsPortRecovered;
  weft::set_port_recovered(set, is_port_recovered(held) && !clears);
  store_rest(model.port(port), set);
}

}  // namespace

SmpData extended_port_info(const Model& model, NodeId node, PortId port) {
  SmpData data = rest_of(model, node, port);
  write_extended_port_info(model.port(port).extended, data);
  return data;
}

void set_unhealthy_reason(Model& model, PortId port, UnhealthyReason reason) {
  SmpData rest = rest_of(model, model.fabric().port(port).node, port);
  set_unhealthy_reason(rest, reason);
  store_rest(model.port(port), rest);
}

void set_port_recovered(Model& model, PortId port) {
  SmpData rest = rest_of(model, model.fabric().port(port).node, port);
  weft::set_port_recovered(rest, true);
  store_rest(model.port(port), rest);
}

bool ignores_extended_port_info(const Model& model, const Smp& smp, Place at) {
  return smp.attribute == AttributeId::kMlnxExtendedPortInfo &&
         has_extended_port_info(model, at.node) &&
         (model.options().extended_ports == ExtendedPorts::kIgnored ||
          recovery_support(model, at) == FeatureSupport::kWithoutSettings);
}

MadStatus serve_extended_port_info(Model& model, Links& links, Smp& smp, Place at) {
  if (model.options().extended_ports != ExtendedPorts::kAnswered ||
      !has_extended_port_info(model, at.node))
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
    set_rest(model, at.node, target, smp.data);
  }
  smp.data = extended_port_info(model, at.node, target);
  return mad_status::kGood;
}

}  // namespace weft::emulator
