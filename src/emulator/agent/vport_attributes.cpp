// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/vport_attributes.h"

#include <algorithm>
#include <cstring>

#include "ib/node_info.h"
#include "ib/tables.h"
#include "ib/vendor/vports_unconfirmed.h"

namespace weft::emulator {
namespace {

namespace unconfirmed = vports_unconfirmed;

/// The vports of the port that received the SMP; null if it has none.
VirtualPorts* vports_at(Model& model, Place at) {
  if (model.node(at.node).is_switch) return nullptr;
  return model.port(model.port_id(at.node, at.port)).virtual_ports.get();
}

MadStatus serve_info(VirtualPorts& vports, Smp& smp) {
  if (smp.method == Method::kSet) {
    const VirtualizationInfo wanted = decode_virtualization_info(smp.data);
    vports.info.enabled = wanted.enabled;
    vports.info.client_reregister = wanted.client_reregister;
    if (wanted.state_change) vports.info.state_change = false;
  }
  smp.data = encode(vports.info);
  return mad_status::kGood;
}

MadStatus serve_vport_info(Vport& vport, Smp& smp) {
  if (smp.method == Method::kSet) {
    const VportInfo wanted = decode_vport_info(smp.data);
    const bool is_step = wanted.state == PortState::kActive && is_vport_up(vport.info.state);
    if (wanted.state != PortState::kNoChange && !is_step) return mad_status::kInvalidField;
    if (is_step) vport.info.state = PortState::kActive;
    if (wanted.client_reregister) ++vport.reregistrations;
    if (vport.info.lid_required) vport.info.lid = wanted.lid;
  }
  smp.data = encode(vport.info);
  return mad_status::kGood;
}

MadStatus serve_states(const VirtualPorts& vports, Smp& smp) {
  if (smp.method != Method::kGet) return mad_status::kMethodAttributeUnsupported;
  const std::size_t first =
      unconfirmed::block_of_state_modifier(smp.modifier) * VportStateBlock::kVports;
  if (first >= vports.info.vport_cap) return mad_status::kInvalidField;
  VportStateBlock block;
  for (std::size_t i = 0; i < VportStateBlock::kVports && first + i < vports.info.vport_cap; ++i)
    block.states[i] =
        first + i < vports.vports.size() ? vports.vports[first + i].info.state : PortState::kDown;
  smp.data = encode(block);
  return mad_status::kGood;
}

/// Gets or sets one block of a table. A Set does not change the first `kept` bytes of block 0: the
/// GUID of the vport is at index 0 of the GUID table.
MadStatus serve_block(std::vector<SmpData>& blocks, std::size_t block, std::size_t kept, Smp& smp) {
  if (block >= blocks.size()) return mad_status::kInvalidField;
  const std::size_t fixed = block == 0 ? kept : 0;
  if (smp.method == Method::kSet)
    std::memcpy(blocks[block].data() + fixed, smp.data.data() + fixed, kSmpDataSize - fixed);
  smp.data = blocks[block];
  return mad_status::kGood;
}

MadStatus read_only(Smp& smp, const SmpData& data) {
  if (smp.method != Method::kGet) return mad_status::kMethodAttributeUnsupported;
  smp.data = data;
  return mad_status::kGood;
}

MadStatus serve_of_vport(VirtualPorts& vports, Smp& smp) {
  const bool is_table = smp.attribute == kVportGuidInfo || smp.attribute == kVportPkeyTable;
  const auto table = unconfirmed::read_table_modifier(smp.modifier);
  const std::size_t index = is_table ? table.index : unconfirmed::vport_of_modifier(smp.modifier);
  if (index >= vports.vports.size() || !is_vport_up(vports.vports[index].info.state))
    return mad_status::kInvalidField;
  Vport& vport = vports.vports[index];
  const bool is_part = vports.support == VirtualSupport::kPart;
  if (smp.attribute == kVportInfo) return serve_vport_info(vport, smp);
  if (smp.attribute == kVnodeInfo) return read_only(smp, encode(vport.node));
  if (smp.attribute == kVportPkeyTable) return serve_block(vport.pkeys, table.block, 0, smp);
  if (is_part) return mad_status::kMethodAttributeUnsupported;
  if (smp.attribute == kVportGuidInfo)
    return serve_block(vport.guids, table.block, sizeof(std::uint64_t), smp);
  return read_only(smp, encode(NodeDescription{vport.description}));
}

}  // namespace

bool is_of_virtualization(AttributeId attribute) {
  return std::ranges::find(kVirtualizationAttributes, attribute) != kVirtualizationAttributes.end();
}

bool ignores_virtualization(const Model& model, const Smp& smp, Place at) {
  if (!is_of_virtualization(smp.attribute) || model.node(at.node).is_switch) return false;
  const auto& vports = model.port(model.port_id(at.node, at.port)).virtual_ports;
  return vports && vports->support == VirtualSupport::kSilent;
}

MadStatus serve_virtualization(Model& model, Smp& smp, Place at) {
  VirtualPorts* const vports = vports_at(model, at);
  if (vports == nullptr || vports->support == VirtualSupport::kNone)
    return mad_status::kMethodAttributeUnsupported;
  if (smp.attribute == kVirtualizationInfo) return serve_info(*vports, smp);
  if (!vports->info.enabled) return mad_status::kMethodAttributeUnsupported;
  if (smp.attribute == kVportState) return serve_states(*vports, smp);
  return serve_of_vport(*vports, smp);
}

}  // namespace weft::emulator
