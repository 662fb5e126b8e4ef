// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/routing_cache.h"

#include <algorithm>
#include <utility>

#include "routes/carry_over.h"

namespace weft {
namespace {

/// The node with the same GUID, type and port count, or none.
std::optional<NodeId> same_node(const Fabric& whole, const Node& node) {
  const auto found = whole.find_node(node.node_guid);
  if (!found) return std::nullopt;
  const Node& other = whole.node(*found);
  if (other.type != node.type || other.port_count != node.port_count) return std::nullopt;
  return found;
}

/// Whether a port is the same in both fabrics: equal GUIDs and LIDs, and the same cable at the same
/// rate, unless the cable is missing now.
bool same_port(const Fabric& part, const Port& now, const Fabric& whole, const Port& then) {
  if (now.guid != then.guid || now.lid != then.lid || now.lmc != then.lmc) return false;
  if (now.peer == kNoPort) return true;
  if (then.peer == kNoPort || now.width != then.width || now.speed != then.speed) return false;
  const Port& peer_now = part.port(now.peer);
  const Port& peer_then = whole.port(then.peer);
  return peer_now.num == peer_then.num &&
         part.node(peer_now.node).node_guid == whole.node(peer_then.node).node_guid;
}

bool is_part_of(const Fabric& part, const Fabric& whole) {
  if (part.node_count() > whole.node_count()) return false;
  for (std::uint32_t n = 0; n < part.node_count(); ++n) {
    const auto other = same_node(whole, part.node(NodeId(n)));
    if (!other) return false;
    const auto now = part.ports(NodeId(n));
    const auto then = whole.ports(*other);
    for (std::size_t p = 0; p < now.size(); ++p)
      if (!same_port(part, now[p], whole, then[p])) return false;
  }
  return true;
}

}  // namespace

void RoutingCache::remember(std::shared_ptr<const Snapshot> snapshot) {
  kept_.push_front(std::move(snapshot));
  if (kept_.size() > kKept) kept_.pop_back();
}

std::optional<RoutingCache::Found> RoutingCache::find(const Fabric& fabric) const {
  for (const auto& entry : kept_)
    if (are_equal_for_routing(entry->fabric, fabric)) return Found{entry->routes, entry->verdict};
  for (const auto& entry : kept_) {
    if (!is_part_of(fabric, entry->fabric)) continue;
    // SLs, and SL2VL maps by port, are indexed by SwitchId; a missing switch changes the SwitchIds.
    const bool same_switches = fabric.switch_count() == entry->fabric.switch_count();
    const bool plain = entry->routes.path_sl == PathSl() && entry->routes.sl2vl.uniform();
    if (!same_switches && !plain) continue;
    Routes routes = entry->routes;
    routes.lfts = carry_over(entry->fabric, entry->routes.lfts, fabric);
    routes.adaptive.reset();  // AR groups may contain ports without a cable
    routes.mfts.clear();      // trees may contain missing nodes
    routes.multicast_sl.clear();
    routes.notes.clear();
    routes.multicast_notes.clear();
    return Found{std::move(routes), std::nullopt};
  }
  return std::nullopt;
}

}  // namespace weft
