// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/sma.h"

#include "emulator/agent/adaptive_attributes.h"
#include "emulator/agent/extended_port_info.h"
#include "emulator/agent/forwarding_tables.h"
#include "emulator/agent/general_info.h"
#include "emulator/agent/node_attributes.h"
#include "emulator/agent/plane_attributes.h"
#include "emulator/agent/port_states.h"
#include "emulator/agent/port_tables.h"
#include "emulator/agent/private_lft_attributes.h"
#include "emulator/agent/recovery_attributes.h"
#include "emulator/agent/sharp_attributes.h"
#include "emulator/agent/vport_attributes.h"
#include "ib/vendor/device_capabilities.h"

namespace weft::emulator {
namespace {

MadStatus status_by_quirk(const Smp& smp, NodeModel& node) {
  const DeviceBehavior& quirks = node.quirks;
  if (quirks.busy_every > 0 && node.requests++ % quirks.busy_every < quirks.busy_burst)
    return mad_status::kBusy;
  const bool refused =
      smp.method == quirks.refused_method && smp.attribute == quirks.refused_attribute;
  return refused ? quirks.refused_status : mad_status::kGood;
}

}  // namespace

bool Sma::answer(Smp& smp, Place at) {
  ++(smp.method == Method::kGet ? counters_.gets
                                : counters_.sets)[EmulatorCounters::slot(smp.attribute)];
  if (!mkeys_.admits(smp, model_.agent_port(at.node, at.port))) {
    ++counters_.dropped[static_cast<std::size_t>(Drop::kBadMkey)];
    return false;
  }
  if (ignores_extended_port_info(model_, smp, at) || ignores_adaptive_routing(model_, smp, at) ||
      ignores_virtualization(model_, smp, at) || ignores_planes(model_, smp, at) ||
      ignores_port_states(model_, smp, at) || ignores_sharp(model_, smp, at) ||
      ignores_private_lfts(model_, smp, at) || ignores_recovery(model_, smp, at) ||
      ignores_general_info(model_, smp, at)) {
    ++counters_.dropped[static_cast<std::size_t>(Drop::kNoReceiver)];
    return false;
  }
  MadStatus status = status_by_quirk(smp, model_.node(at.node));
  if (status == mad_status::kGood) status = serve(smp, at);
  if (status != mad_status::kGood) ++counters_.bad_status;
  smp.method = Method::kGetResp;
  smp.status = status;
  ++counters_.answered;
  return true;
}

void Sma::repress(const Smp& smp, Place at) {
  const PortId agent_port = model_.agent_port(at.node, at.port);
  if (mkeys_.admits(smp, agent_port)) traps_.repress(agent_port, smp);
}

MadStatus Sma::serve(Smp& smp, Place at) {
  if (is_of_sharp(model_, smp, at)) return serve_sharp(model_, smp, at);
  const bool is_switch = model_.node(at.node).is_switch;
  switch (smp.attribute) {
    case AttributeId::kNodeInfo:
      return serve_node_info(model_, smp, at);
    case AttributeId::kNodeDescription:
      return serve_node_description(model_, smp, at);
    case AttributeId::kPortInfo:
      return port_info_.serve(smp, at);
    case AttributeId::kMlnxExtendedPortInfo:
      return serve_extended_port_info(model_, links_, smp, at);
    case AttributeId::kGuidInfo:
      return serve_guid_info(model_, smp, at);
    case AttributeId::kPkeyTable:
      return serve_pkey_table(model_, smp, at);
    case AttributeId::kSlToVlTable:
      return serve_sl_to_vl_table(model_, smp, at);
    case AttributeId::kVlArbitrationTable:
      return serve_vl_arb_table(model_, smp, at);
    case AttributeId::kSwitchInfo:
      if (is_switch) return serve_switch_info(model_, smp, at);
      break;
    case AttributeId::kLinearForwardingTable:
      if (is_switch) return serve_linear_forwarding_table(model_, smp, at);
      break;
    case AttributeId::kMulticastForwardingTable:
      if (is_switch) return serve_multicast_forwarding_table(model_, smp, at);
      break;
    default:
      if (smp.attribute == kGeneralInfo) return serve_general_info(model_, smp, at);
      if (is_of_virtualization(smp.attribute)) return serve_virtualization(model_, smp, at);
      if (is_private_lft(smp.attribute)) return serve_private_lfts(model_, smp, at);
      if (is_of_recovery(smp.attribute)) return serve_recovery(model_, smp, at);
      if (is_of_planes(smp.attribute)) return serve_planes(model_, smp, at);
      if (smp.attribute == kSwitchPortStateTable) return serve_port_states(model_, smp, at);
      return serve_adaptive_routing(model_, notifications_, smp, at);
  }
  return mad_status::kMethodAttributeUnsupported;
}

}  // namespace weft::emulator
