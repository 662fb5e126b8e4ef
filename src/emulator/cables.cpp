// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/cables.h"

#include <optional>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::size_t kNamedMax = 4;  // nodes with one description that a message names

Result<NodeId> find_by_guid(const Fabric& fabric, Guid guid) {
  if (const auto node = fabric.find_node(guid)) return *node;
  if (const auto endport = fabric.find_endport(guid)) return fabric.endport(*endport).node;
  return fail(Code::kUsage, "0x{:016x}: no node of the emulated fabric has this GUID",
              guid.value());
}

}  // namespace

Result<NodeId> find_node(const EmulatedFabric& emulated, std::string_view node) {
  const Fabric& fabric = emulated.fabric();
  if (node.starts_with("0x"))
    if (const auto guid = parse_number<std::uint64_t>(node, 16))
      return find_by_guid(fabric, Guid(*guid));
  std::vector<NodeId> found;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    if (emulated.description(NodeId(n)) == node) found.push_back(NodeId(n));
  if (found.size() == 1) return found.front();
  if (found.empty())
    return fail(Code::kUsage, "{}: no node of the emulated fabric has this description",
                quoted(node));
  std::string guids;
  for (std::size_t i = 0; i < found.size() && i < kNamedMax; ++i)
    guids +=
        fmt::format("{}0x{:016x}", i == 0 ? "" : ", ", fabric.node(found[i]).node_guid.value());
  return fail(Code::kUsage, "{}: {} nodes have this description: use a GUID: {}{}", quoted(node),
              found.size(), guids, found.size() > kNamedMax ? ", ..." : "");
}

Result<PortId> find_cabled_port(const EmulatedFabric& emulated, NodeId node, unsigned port) {
  const Fabric& fabric = emulated.fabric();
  const Node& named = fabric.node(node);
  if (port == 0 || port > named.port_count)
    return fail(Code::kUsage, "{} port {}: expected a port from 1 to {}", describe(named), port,
                named.port_count);
  const PortId id = fabric.port_id(node, PortNum(static_cast<std::uint8_t>(port)));
  if (id == kNoPort || emulated.cable_end(id) == kNoPort)
    return fail(Code::kUsage, "{} port {}: no cable is plugged in", describe(named), port);
  return id;
}

std::vector<PortId> cut_cables(const EmulatedFabric& emulated) {
  const Fabric& fabric = emulated.fabric();
  std::vector<PortId> found;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
    for (const Port& port : fabric.ports(NodeId(n))) {
      const PortId id = fabric.port_id(NodeId(n), port.num);
      const PortId peer = emulated.cable_end(id);
      if (peer != kNoPort && id.value() <= peer.value() && emulated.is_cut(id)) found.push_back(id);
    }
  return found;
}

}  // namespace weft
