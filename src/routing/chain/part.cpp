// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/chain/part.h"

#include <algorithm>

#include "fabric/without.h"

namespace weft {
namespace {

/// The port of the whole fabric that corresponds to a port of the part.
PortId whole_port(const Fabric& whole, const Fabric& part, PortId id) {
  const Port& port = part.port(id);
  return whole.port_id(*whole.find_node(part.node(port.node).node_guid), port.num);
}

Result<Fabric> with_lids_of(const Fabric& whole, const Fabric& part, unsigned path_bit) {
  std::vector<LidRange> lids(part.endport_count());
  for (std::uint32_t e = 0; e < lids.size(); ++e) {
    const Endport& endport =
        whole.endport(whole.endport_at(whole_port(whole, part, part.endport(EndportId(e)).port)));
    if (endport.lid == kLidNone || path_bit >= 1u << endport.lmc) continue;
    lids[e].base = Lid(static_cast<std::uint16_t>(endport.lid.value() + path_bit));
  }
  return part.with_lids(lids);
}

}  // namespace

Result<Fabric> part_of(const Fabric& whole, const std::vector<bool>& switch_ports,
                       const std::vector<bool>& host_ports, unsigned path_bit) {
  std::vector<bool> taken(whole.node_count(), false);
  for (std::uint32_t s = 0; s < whole.switch_count(); ++s)
    for (std::uint32_t p = 0; p <= whole.node(SwitchId(s)).port_count; ++p)
      if (switch_ports[whole
                           .port_id(Fabric::node_of(SwitchId(s)),
                                    PortNum(static_cast<std::uint8_t>(p)))
                           .value()])
        taken[s] = true;
  std::vector<PortId> cut;
  for (std::uint32_t i = 0; i < whole.port_count(); ++i) {
    const Port& port = whole.port(PortId(i));
    if (port.peer == kNoPort) continue;
    const Port& peer = whole.port(port.peer);
    if (whole.is_switch(port.node)) {
      if (whole.is_switch(peer.node) && !(switch_ports[i] && switch_ports[port.peer.value()]))
        cut.push_back(PortId(i));
    } else if (host_ports[i] && whole.is_switch(peer.node) && taken[peer.node.value()]) {
      taken[port.node.value()] = true;
    } else {
      cut.push_back(PortId(i));
    }
  }
  if (std::none_of(taken.begin(), taken.begin() + whole.switch_count(), [](bool t) { return t; }))
    return fail(Code::kUnroutable, "the topology has no switch in this fabric");
  std::vector<NodeId> gone;
  for (std::uint32_t n = 0; n < whole.node_count(); ++n)
    if (!taken[n]) gone.push_back(NodeId(n));
  return with_lids_of(whole, without(whole, gone, cut), path_bit);
}

}  // namespace weft
