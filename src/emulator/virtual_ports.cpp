// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/virtual_ports.h"

#include <algorithm>

#include "ib/tables.h"

namespace weft::emulator {
namespace {

constexpr Pkey kVportDefaultPkey{0xFFFF};
constexpr unsigned kKinds = 4;  // number of CA kinds of VirtualCas::kMixed

VirtualSupport support_of(const Fabric& fabric, NodeId node, const EmulatorOptions& options) {
  switch (options.virtual_cas) {
    case VirtualCas::kAnswered:
      return VirtualSupport::kAll;
    case VirtualCas::kIgnored:
      return VirtualSupport::kSilent;
    case VirtualCas::kMixed:
      break;
  }
  return static_cast<VirtualSupport>((node.value() - fabric.switch_count()) % kKinds);
}

/// The blocks of VPortGUIDInfo: the GUID of the vport at index 0, then its aliases.
std::vector<SmpData> guid_table(const VirtualIdentity& identity) {
  std::vector<GuidInfo> blocks(identity.aliases.size() / GuidInfo::kEntries + 1);
  blocks[0].guids[0] = identity.port;
  for (std::size_t i = 0; i < identity.aliases.size(); ++i)
    blocks[(i + 1) / GuidInfo::kEntries].guids[(i + 1) % GuidInfo::kEntries] = identity.aliases[i];
  std::vector<SmpData> encoded;
  for (const GuidInfo& block : blocks) encoded.push_back(encode(block));
  return encoded;
}

Vport power_up_vport(const VirtualIdentity& identity, const EmulatorOptions& options) {
  Vport vport;
  vport.info.state = PortState::kInit;
  vport.info.lid_required = options.vports_need_lids;
  vport.info.port_guid = identity.port;
  vport.node.partition_cap = options.vport_pkey_cap;
  vport.node.local_port = PortNum(1);
  vport.node.port_count = 1;
  vport.node.node_guid = identity.node;
  vport.description = identity.description;
  PkeyTable table;
  table.pkeys[0] = kVportDefaultPkey;
  const std::size_t blocks =
      (options.vport_pkey_cap + PkeyTable::kEntries - 1) / PkeyTable::kEntries;
  vport.pkeys.assign(blocks, encode(PkeyTable{}));
  if (blocks > 0) vport.pkeys[0] = encode(table);
  vport.guids = guid_table(identity);
  vport.info.guid_cap_blocks = static_cast<std::uint8_t>(vport.guids.size());
  return vport;
}

}  // namespace

VirtualIdentity VirtualPorts::identity(std::uint16_t index) const {
  const Vport& vport = vports[index];
  VirtualIdentity identity{vport.info.port_guid, vport.node.node_guid, vport.description};
  for (const SmpData& block : vport.guids) {
    const GuidInfo guids = *decode_guid_info(block);
    for (const Guid guid : guids.guids)
      if (guid != Guid(0) && guid != identity.port) identity.aliases.push_back(guid);
  }
  return identity;
}

void VirtualPorts::set_top() {
  std::size_t top = vports.size() - 1;
  while (top > 0 && !is_vport_up(vports[top].info.state)) --top;
  info.vport_top = static_cast<std::uint16_t>(top);
}

std::optional<std::uint16_t> VirtualPorts::add(const VirtualIdentity& identity,
                                               const EmulatorOptions& options) {
  std::uint16_t index = 1;
  while (is_up(index)) ++index;
  if (index >= info.vport_cap) return std::nullopt;
  if (index >= vports.size()) vports.resize(index + 1u);
  vports[index] = power_up_vport(identity, options);
  set_top();
  return index;
}

bool VirtualPorts::remove(std::uint16_t index) {
  if (!is_up(index)) return false;
  vports[index] = {};
  vports[index].info.state = PortState::kDown;
  set_top();
  return true;
}

void VirtualPorts::reset_states() {
  for (Vport& vport : vports)
    if (is_vport_up(vport.info.state)) vport.info.state = PortState::kInit;
}

VirtualIdentity vport_identity(const Fabric& fabric, PortId port, std::uint16_t index) {
  constexpr std::uint64_t kPorts = 0xFA00000000000000, kNodes = 0xFB00000000000000;
  const std::uint64_t number = std::uint64_t{port.value()} << 16 | index;
  return {Guid(kPorts | number), Guid(kNodes | number),
          fmt::format("{} VF-{}", fabric.node(fabric.port(port).node).description, index)};
}

std::unique_ptr<VirtualPorts> power_up_vports(const Fabric& fabric, PortId port,
                                              const EmulatorOptions& options) {
  if (options.vports == 0 || fabric.node(fabric.port(port).node).type != NodeType::kCa)
    return nullptr;
  if (const DeviceProfile* profile =
          emulated_profile(fabric, fabric.port(port).node, options.devices);
      profile != nullptr && !profile->virtual_ports)
    return nullptr;
  auto result = std::make_unique<VirtualPorts>();
  result->support = support_of(fabric, fabric.port(port).node, options);
  result->info.vport_cap = options.vport_cap;
  result->info.enabled = options.virtualization_enabled;
  VirtualIdentity own{fabric.port(port).guid, fabric.node(fabric.port(port).node).node_guid,
                      fabric.node(fabric.port(port).node).description};
  result->vports.push_back(power_up_vport(own, options));
  result->vports[0].info.lid_required = false;
  for (unsigned i = 1; i <= std::min<unsigned>(options.vports, options.vport_cap - 1u); ++i)
    result->add(vport_identity(fabric, port, static_cast<std::uint16_t>(i)), options);
  return result;
}

}  // namespace weft::emulator
