// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep_report.h"

#include <algorithm>
#include <tuple>

#include "base/log.h"

namespace weft {
namespace {

auto routing_key(const Node& n) {
  return std::tie(n.type, n.node_guid, n.system_guid, n.vendor_id, n.device_id, n.port_count,
                  n.enhanced_port0, n.description);
}

auto routing_key(const Port& p) {
  return std::tie(p.node, p.num, p.guid, p.peer, p.width, p.speed, p.mtu_cap, p.data_vls, p.lid,
                  p.lmc);
}

}  // namespace

void warn(SweepReport& report, const std::string& text) {
  log::warn("{}", text);
  report.warnings.push_back(text);
}

bool are_equal_for_routing(const Fabric& a, const Fabric& b) {
  if (a.node_count() != b.node_count() || a.port_count() != b.port_count()) return false;
  for (std::uint32_t n = 0; n < a.node_count(); ++n)
    if (routing_key(a.node(NodeId(n))) != routing_key(b.node(NodeId(n)))) return false;
  for (std::uint32_t p = 0; p < a.port_count(); ++p)
    if (routing_key(a.port(PortId(p))) != routing_key(b.port(PortId(p)))) return false;
  return true;
}

}  // namespace weft
