// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/sma.h"

#include <algorithm>
#include <cstring>

#include "ib/node_info.h"

namespace weft::emulator {

bool Sma::answer(Smp& smp, Place at) {
  const PortId agent_port = model_.agent_port(at.node, at.port);
  if (const std::size_t index = EmulatorCounters::slot(smp.attribute);
      index < EmulatorCounters::kAttributes)
    ++(smp.method == Method::kGet ? counters_.gets : counters_.sets)[index];
  if (!mkey_allows(smp, agent_port)) {
    refuse_mkey(smp, agent_port);
    ++counters_.dropped[static_cast<std::size_t>(Drop::kBadMkey)];
    return false;
  }
  if (ignores(smp, at) || ignores_adaptive(smp, at)) {
    ++counters_.dropped[static_cast<std::size_t>(Drop::kNoReceiver)];
    return false;
  }
  Bits status = status_by_quirk(smp, model_.node(at.node));
  if (status == mad_status::kGood) status = handle(smp, at);
  if (status != mad_status::kGood) ++counters_.bad_status;
  smp.method = Method::kGetResp;
  smp.status = status;
  ++counters_.answered;
  return true;
}

void Sma::repress(const Smp& smp, Place at) {
  const PortId agent_port = model_.agent_port(at.node, at.port);
  if (mkey_allows(smp, agent_port))
    traps_.repress(agent_port, smp);
  else
    refuse_mkey(smp, agent_port);
}

bool Sma::mkey_matches(const Smp& smp, PortId agent_port) const {
  const Mkey mkey = model_.port(agent_port).info.mkey;
  return mkey == Mkey(0) || smp.mkey == mkey;
}

/// Protection levels 0 and 1 allow any Get.
bool Sma::mkey_allows(const Smp& smp, PortId agent_port) {
  if (mkey_matches(smp, agent_port)) {
    stop_lease(agent_port);
    return true;
  }
  return smp.method == Method::kGet && model_.port(agent_port).info.mkey_protect < 2;
}

/// The violation counter saturates; the lease, if there is one, begins to run.
void Sma::refuse_mkey(const Smp& smp, PortId agent_port) {
  PortModel& port = model_.port(agent_port);
  if (port.info.mkey_violations != 0xFFFF) ++port.info.mkey_violations;
  if (port.info.mkey_lease_period_s != 0 && port.lease_generation % 2 == 0)
    events_.push(clock_.now() + std::chrono::seconds(port.info.mkey_lease_period_s),
                 EventKind::kLeaseEnd, agent_port.value(), ++port.lease_generation);
  traps_.bad_mkey(agent_port, smp);
}

void Sma::stop_lease(PortId agent_port) {
  std::uint32_t& generation = model_.port(agent_port).lease_generation;
  if (generation % 2 != 0) ++generation;
}

void Sma::lease_end(PortId id, std::uint32_t generation) {
  PortModel& port = model_.port(id);
  if (port.lease_generation != generation) return;
  ++port.lease_generation;
  port.info.mkey_protect = 0;
}

Sma::Bits Sma::status_by_quirk(const Smp& smp, NodeModel& node) {
  const DeviceQuirks& quirks = node.quirks;
  if (quirks.busy_every > 0 && node.requests++ % quirks.busy_every < quirks.busy_burst)
    return mad_status::kBusy;
  const bool refused =
      smp.method == quirks.refused_method && smp.attribute == quirks.refused_attribute;
  return refused ? quirks.refused_status : mad_status::kGood;
}

Sma::Bits Sma::handle(Smp& smp, Place at) {
  const bool is_switch = model_.node(at.node).is_switch;
  switch (smp.attribute) {
    case AttributeId::kNodeInfo:
      return get_node_info(smp, at);
    case AttributeId::kNodeDescription:
      return get_node_description(smp, at);
    case AttributeId::kPortInfo:
      return port_info(smp, at);
    case AttributeId::kMlnxExtendedPortInfo:
      return extended_port_info(smp, at);
    case AttributeId::kGuidInfo:
      return guid_info(smp, at);
    case AttributeId::kPkeyTable:
      return pkey_table(smp, at);
    case AttributeId::kSlToVlTable:
      return sl_to_vl_table(smp, at);
    case AttributeId::kVlArbitrationTable:
      return vl_arb_table(smp, at);
    case AttributeId::kSwitchInfo:
      if (is_switch) return switch_info(smp, at);
      break;
    case AttributeId::kLinearForwardingTable:
      if (is_switch) return linear_forwarding_table(smp, at);
      break;
    case AttributeId::kMulticastForwardingTable:
      if (is_switch) return multicast_forwarding_table(smp, at);
      break;
    default:
      return adaptive_attribute(smp, at);
  }
  return mad_status::kMethodAttributeUnsupported;
}

Sma::Bits Sma::get_node_info(Smp& smp, Place at) const {
  if (smp.method != Method::kGet) return mad_status::kMethodAttributeUnsupported;
  const Node& facts = model_.fabric().node(at.node);
  NodeInfo info;
  info.type = facts.type;
  info.port_count = facts.port_count;
  info.system_guid = facts.system_guid;
  info.node_guid = facts.node_guid;
  info.port_guid = model_.fabric().port(model_.agent_port(at.node, at.port)).guid;
  info.partition_cap = model_.node(at.node).is_switch ? model_.options().switch_pkey_cap
                                                      : model_.options().ca_pkey_cap;
  info.device_id = model_.device_id(at.node);
  info.revision = facts.revision;
  info.local_port = at.port;
  info.vendor_id = facts.vendor_id & 0xFFFFFF;
  smp.data = encode(info);
  return mad_status::kGood;
}

Sma::Bits Sma::get_node_description(Smp& smp, Place at) const {
  if (smp.method != Method::kGet) return mad_status::kMethodAttributeUnsupported;
  const std::string& text = model_.node(at.node).description;
  smp.data = {};
  std::memcpy(smp.data.data(), text.data(), std::min(text.size(), smp.data.size()));
  return mad_status::kGood;
}

void Sma::clear_port_state_change(NodeModel& node) {
  if (node.quirks.clears_every_other_time && node.switch_info.port_state_change) {
    node.ignores_next_clear = !node.ignores_next_clear;
    if (node.ignores_next_clear) return;
  }
  node.switch_info.port_state_change = false;
}

Sma::Bits Sma::switch_info(Smp& smp, Place at) {
  SwitchInfo& info = model_.node(at.node).switch_info;
  if (smp.method == Method::kSet) {
    const auto wanted = decode_switch_info(smp.data);
    if (!wanted) return mad_status::kInvalidField;
    const unsigned top_of_multicast = wanted->multicast_fdb_top.value();
    if (wanted->linear_fdb_top >= info.linear_fdb_cap ||
        (top_of_multicast >= kLidMulticastFirst.value() &&
         top_of_multicast - kLidMulticastFirst.value() >= info.multicast_fdb_cap))
      return mad_status::kInvalidField;
    info.linear_fdb_top = wanted->linear_fdb_top;
    info.default_port = wanted->default_port;
    info.default_multicast_primary_port = wanted->default_multicast_primary_port;
    info.default_multicast_not_primary_port = wanted->default_multicast_not_primary_port;
    info.life_time_value = wanted->life_time_value;
    info.multicast_fdb_top = wanted->multicast_fdb_top;
    if (wanted->port_state_change) clear_port_state_change(model_.node(at.node));
  }
  smp.data = encode(info);
  return mad_status::kGood;
}

}  // namespace weft::emulator
