// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/node_attributes.h"

#include <algorithm>
#include <cstring>

#include "ib/node_info.h"
#include "ib/switch_info.h"

namespace weft::emulator {
namespace {

void clear_port_state_change(NodeModel& node) {
  if (node.quirks.clears_every_other_time && node.switch_info.port_state_change) {
    node.ignores_next_clear = !node.ignores_next_clear;
    if (node.ignores_next_clear) return;
  }
  node.switch_info.port_state_change = false;
}

}  // namespace

MadStatus serve_node_info(const Model& model, Smp& smp, Place at) {
  if (smp.method != Method::kGet) return mad_status::kMethodAttributeUnsupported;
  const Node& facts = model.fabric().node(at.node);
  NodeInfo info;
  info.type = facts.type;
  info.port_count = facts.port_count;
  info.system_guid = facts.system_guid;
  info.node_guid = facts.node_guid;
  info.port_guid = model.port_guid(model.agent_port(at.node, at.port));
  info.partition_cap =
      model.node(at.node).is_switch ? model.options().switch_pkey_cap : model.options().ca_pkey_cap;
  info.device_id = model.device_id(at.node);
  info.revision = facts.revision;
  info.local_port = at.port;
  info.vendor_id = facts.vendor_id & 0xFFFFFF;
  smp.data = encode(info);
  return mad_status::kGood;
}

MadStatus serve_node_description(const Model& model, Smp& smp, Place at) {
  if (smp.method != Method::kGet) return mad_status::kMethodAttributeUnsupported;
  const std::string& text = model.node(at.node).description;
  smp.data = {};
  std::memcpy(smp.data.data(), text.data(), std::min(text.size(), smp.data.size()));
  return mad_status::kGood;
}

MadStatus serve_switch_info(Model& model, Smp& smp, Place at) {
  SwitchInfo& info = model.node(at.node).switch_info;
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
    if (wanted->port_state_change) clear_port_state_change(model.node(at.node));
  }
  smp.data = encode(info);
  return mad_status::kGood;
}

}  // namespace weft::emulator
