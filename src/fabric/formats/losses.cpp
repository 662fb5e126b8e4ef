// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/formats/losses.h"

#include <fmt/format.h>

#include <array>

namespace weft {
namespace {

/// Numbers of nodes or ports that lost a property.
struct Losses {
  std::uint64_t nodes = 0, descriptions = 0, identifiers = 0, revisions = 0;
  std::uint64_t ports = 0, peers = 0, port_guids = 0, rates = 0, lids = 0, mtus = 0, vls = 0;
};

void compare_nodes(const Node& a, const Node& b, Losses& losses) {
  losses.descriptions += a.description != b.description ? 1 : 0;
  losses.revisions += a.revision != b.revision ? 1 : 0;
  losses.identifiers += a.system_guid != b.system_guid || a.vendor_id != b.vendor_id ||
                                a.device_id != b.device_id || a.enhanced_port0 != b.enhanced_port0
                            ? 1
                            : 0;
}

void compare_ports(const Fabric& fabric, const Port& a, const Fabric& again, const Port& b,
                   Losses& losses) {
  const bool connected = a.peer != kNoPort;
  losses.port_guids += a.guid != b.guid ? 1 : 0;
  losses.mtus += a.mtu_cap != b.mtu_cap ? 1 : 0;
  losses.vls += a.data_vls != b.data_vls ? 1 : 0;
  losses.lids += a.lid != b.lid || a.lmc != b.lmc ? 1 : 0;
  if (!connected) return;
  losses.rates += a.width != b.width || a.speed != b.speed ? 1 : 0;
  const Port& peer = fabric.port(a.peer);
  const Port* other = b.peer == kNoPort ? nullptr : &again.port(b.peer);
  losses.peers += other == nullptr || other->num != peer.num ||
                          again.node(other->node).node_guid != fabric.node(peer.node).node_guid
                      ? 1
                      : 0;
}

}  // namespace

std::vector<std::string> lost_properties(const Fabric& fabric, const Fabric& again) {
  Losses losses;
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const Node& node = fabric.node(NodeId(n));
    const auto other = again.find_node(node.node_guid);
    if (!other) {
      ++losses.nodes;
      continue;
    }
    compare_nodes(node, again.node(*other), losses);
    for (const Port& port : fabric.ports(NodeId(n))) {
      const PortId same = again.port_id(*other, port.num);
      if (same == kNoPort) {
        ++losses.ports;
      } else if (port.num != PortNum(0) || fabric.is_switch(NodeId(n))) {
        compare_ports(fabric, port, again, again.port(same), losses);
      }
    }
  }
  std::vector<std::string> lines;
  for (const auto& [count, what] :
       {std::pair(losses.nodes, "{} nodes"),
        std::pair(losses.descriptions, "the description of {} nodes"),
        std::pair(losses.identifiers, "vendor, device, system or enhanced port 0 of {} nodes"),
        std::pair(losses.revisions, "the revision of {} nodes"),
        std::pair(losses.ports, "{} ports"), std::pair(losses.peers, "the cables of {} ports"),
        std::pair(losses.port_guids, "the GUID of {} ports"),
        std::pair(losses.rates, "width and speed of {} ports"),
        std::pair(losses.lids, "LID and LMC of {} ports"),
        std::pair(losses.mtus, "the MTU of {} ports"),
        std::pair(losses.vls, "the number of data VLs of {} ports")})
    if (count > 0) lines.push_back(fmt::format(fmt::runtime(what), count));
  return lines;
}

}  // namespace weft
