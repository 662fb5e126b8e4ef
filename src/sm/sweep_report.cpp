#include "sm/sweep_report.h"

#include <algorithm>
#include <tuple>

namespace weft {
namespace {

auto key(const Node& n) {
  return std::tie(n.type, n.node_guid, n.system_guid, n.vendor_id, n.device_id, n.port_count,
                  n.enhanced_port0, n.description);
}

auto key(const Port& p) {
  return std::tie(p.node, p.num, p.guid, p.peer, p.width, p.speed, p.mtu_cap, p.data_vls, p.lid,
                  p.lmc);
}

}  // namespace

bool same_for_routing(const Fabric& a, const Fabric& b) {
  if (a.node_count() != b.node_count() || a.port_count() != b.port_count()) return false;
  for (std::uint32_t n = 0; n < a.node_count(); ++n)
    if (key(a.node(NodeId(n))) != key(b.node(NodeId(n)))) return false;
  for (std::uint32_t p = 0; p < a.port_count(); ++p)
    if (key(a.port(PortId(p))) != key(b.port(PortId(p)))) return false;
  return true;
}

}  // namespace weft
