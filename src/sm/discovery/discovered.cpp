// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/discovered.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "fabric/builder.h"
#include "ib/vendor/planes.h"
#include "ib/vendor/planes_unconfirmed.h"

namespace weft {
namespace {

struct Cable {
  std::uint32_t a = 0, b = 0;
  std::uint8_t a_port = 0, b_port = 0;
};

/// The checks of assemble(). A check adds a warning for each node and cable that it leaves out,
/// except for avoided links and the nodes behind them.
class Assembly {
 public:
  explicit Assembly(Discovered& found) : found_(found) {
    for (const DiscoveredNode& node : found.nodes) used_.push_back(!node.is_unreachable);
  }

  void drop_silent_nodes();
  void resolve_cables();
  void drop_separated_nodes();
  void warn_of_shared_port_guids();
  Result<Observed> build();

 private:
  const DiscoveredNode& node(std::uint32_t index) const { return found_.nodes[index]; }
  std::string port_name(std::uint32_t index, std::uint8_t port) const {
    return fmt::format("{} port {}", describe(node(index)), port);
  }
  bool is_switch(std::uint32_t index) const {
    return node(index).seen.info.type == NodeType::kSwitch;
  }
  /// Number of ports with an SMA and a GUID: port 0 of a switch, or all ports of another node.
  std::size_t agents(std::uint32_t index) const {
    return is_switch(index) ? 1 : node(index).seen.ports.size();
  }
  /// Whether the manager may find one GUID at several ports of this CA (planes_unconfirmed.h).
  bool may_share_guid(std::uint32_t index, std::size_t port) const {
    const ObservedNode& seen = node(index).seen;
    return !is_switch(index) && planes_unconfirmed::may_share_guid(has_hierarchy(seen.ports[port]));
  }
  bool has_shared_port_guids() const;
  void check_cable(std::uint32_t a, std::uint8_t a_port);
  void contradiction(std::string text);
  /// Adds a warning about two nodes with the same GUID, or a cable that was moved during discovery.
  void shared(std::string text) {
    found_.shared_guids.push_back(text);
    contradiction(std::move(text));
  }
  Result<FabricBuilder> fill_builder() const;

  Discovered& found_;
  std::vector<bool> used_;
  std::vector<Cable> cables_;
  std::vector<Cable> avoided_;            // avoided links (Discovered::avoided)
  std::vector<std::vector<bool>> taken_;  // CA ports with an accepted cable
  std::uint32_t contradictions_ = 0;
};

void Assembly::contradiction(std::string text) {
  ++contradictions_;
  found_.warnings.push_back(std::move(text));
}

void Assembly::drop_silent_nodes() {
  for (std::uint32_t n = 1; n < found_.nodes.size(); ++n) {
    if (node(n).silent.empty()) continue;
    used_[n] = false;
    found_.warnings.push_back(fmt::format("{} {}: left out", describe(node(n)), node(n).silent));
  }
}

/// Checks one direction of a cable, as reported by the near port.
void Assembly::check_cable(std::uint32_t a, std::uint8_t a_port) {
  const auto [b, b_port] = node(a).neighbors[a_port];
  if (!used_[b]) return;
  if (a == b && a_port == b_port) {
    found_.warnings.push_back(
        fmt::format("{} is connected to itself (loopback plug): left out", port_name(a, a_port)));
    return;
  }
  const DiscoveredNode& far = node(b);
  if (!far.seen.answered[b_port]) return;  // there is a warning about the missing answer
  if (!link_is_up(far.seen.ports[b_port]))
    return contradiction(
        fmt::format("{} is connected to {}, which reports its link as down: left out",
                    port_name(a, a_port), port_name(b, b_port)));
  const Neighbor& back = far.neighbors[b_port];
  if (back.known() && back != Neighbor{a, a_port})
    return shared(fmt::format(
        "{} is connected to {}, which is connected to {}: two nodes with one GUID, or a cable that "
        "moved; left out",
        port_name(a, a_port), port_name(b, b_port), port_name(back.node, back.port)));
  if (!is_switch(b) && !back.known()) {  // a CA reports no peer; accept its first cable
    if (taken_[b][b_port])
      return shared(fmt::format(
          "{} is connected to {}, which has another cable: two nodes with one GUID, or a "
          "cable that moved; left out",
          port_name(a, a_port), port_name(b, b_port)));
    taken_[b][b_port] = true;
  }
  if (back.known() && std::pair(b, b_port) < std::pair(a, a_port))
    return;  // the check of the other end handles this cable
  const bool is_avoided = found_.avoids(a, a_port) || found_.avoids(b, b_port);
  (is_avoided ? avoided_ : cables_).push_back({a, b, a_port, b_port});
}

void Assembly::resolve_cables() {
  for (const DiscoveredNode& n : found_.nodes) taken_.emplace_back(n.neighbors.size(), false);
  for (std::uint32_t a = 0; a < found_.nodes.size(); ++a) {
    if (!used_[a]) continue;
    for (std::size_t port = 1; port < node(a).neighbors.size(); ++port)
      if (node(a).neighbors[port].known()) check_cable(a, static_cast<std::uint8_t>(port));
  }
}

/// Removes nodes that are unreachable because cables are left out. Adds no warning for nodes that
/// avoided links would connect.
void Assembly::drop_separated_nodes() {
  std::vector<std::uint32_t> root(found_.nodes.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t n) {
    while (root[n] != n) n = root[n] = root[root[n]];
    return n;
  };
  const auto join = [&](const Cable& cable) {
    const std::uint32_t a = find(cable.a), b = find(cable.b);
    root[std::max(a, b)] = std::min(a, b);
  };
  std::ranges::for_each(cables_, join);
  std::vector<std::uint32_t> separated;
  for (std::uint32_t n = 1; n < found_.nodes.size(); ++n)
    if (used_[n] && find(n) != 0) separated.push_back(n);
  std::ranges::for_each(avoided_, join);
  for (const std::uint32_t n : separated) {
    used_[n] = false;
    if (find(n) != 0)
      found_.warnings.push_back(
          fmt::format("{} has no consistent link: left out", describe(node(n))));
  }
}

bool Assembly::has_shared_port_guids() const {
  std::vector<Guid> guids;
  for (std::uint32_t n = 0; n < found_.nodes.size(); ++n)
    for (std::size_t p = 0; used_[n] && p < agents(n); ++p)
      if (node(n).seen.answered[p]) guids.push_back(node(n).port_guids[p]);
  std::ranges::sort(guids);
  return std::ranges::adjacent_find(guids) != guids.end();
}

/// Adds warnings about ports with the same GUID, except for plane ports of one CA. All are
/// reachable by LID, but a lookup of the GUID finds only one of them.
void Assembly::warn_of_shared_port_guids() {
  if (!has_shared_port_guids()) return;
  std::map<Guid, std::pair<std::uint32_t, std::uint8_t>> owners;
  for (std::uint32_t n = 0; n < found_.nodes.size(); ++n) {
    const ObservedNode& seen = node(n).seen;
    if (!used_[n]) continue;
    for (std::size_t p = 0; p < agents(n); ++p) {
      const auto port = static_cast<std::uint8_t>(p);
      if (!seen.answered[p]) continue;
      const Guid guid = node(n).port_guids[p];
      const auto [owner, is_first] = owners.try_emplace(guid, n, port);
      if (is_first) continue;
      const auto [other, other_port] = owner->second;
      if (other == n && may_share_guid(n, p) && may_share_guid(n, other_port)) continue;
      found_.warnings.push_back(fmt::format(
          "port GUID 0x{:016x}: found at {} and at {}, expected at one port: only the LID of one "
          "port is kept",
          guid.value(), port_name(other, other_port), port_name(n, port)));
      found_.shared_guids.push_back(found_.warnings.back());
    }
  }
}

/// The attributes of a port in the graph.
FabricBuilder::PortSpec spec_of(const PortInfo& info, const ExtendedPortInfo& extended,
                                Guid port_guid) {
  FabricBuilder::PortSpec spec;
  spec.guid = port_guid;
  spec.width = active_width(info);
  spec.speed = active_speed(info, extended);
  if (info.mtu_cap >= static_cast<std::uint8_t>(Mtu::k256))
    spec.mtu_cap = static_cast<Mtu>(info.mtu_cap);
  spec.data_vls = static_cast<std::uint8_t>(std::max(1u, data_vls_of_code(info.vl_cap)));
  if (is_unicast(info.lid)) spec.lid = LidRange{info.lid, info.lmc};
  return spec;
}

Node node_of(const DiscoveredNode& draft) {
  const NodeInfo& info = draft.seen.info;
  Node node;
  node.type = info.type;
  node.node_guid = info.node_guid;
  node.system_guid = info.system_guid;
  node.vendor_id = info.vendor_id;
  node.device_id = info.device_id;
  node.revision = info.revision;
  node.port_count = info.port_count;
  node.enhanced_port0 = draft.seen.switch_info.enhanced_port0;
  node.description = draft.description;
  return node;
}

Result<FabricBuilder> Assembly::fill_builder() const {
  FabricBuilder builder;
  std::vector<FabricBuilder::NodeIndex> place(found_.nodes.size());
  for (std::uint32_t n = 0; n < found_.nodes.size(); ++n) {
    if (!used_[n]) continue;
    place[n] = builder.add_node(node_of(node(n)));
    for (std::size_t port = 0; port < node(n).seen.ports.size(); ++port) {
      if (!node(n).seen.answered[port]) continue;
      const PortNum num(static_cast<std::uint8_t>(port));
      const ObservedNode& seen = node(n).seen;
      auto spec = spec_of(seen.ports[port], seen.extended_at(num), node(n).port_guids[port]);
      spec.may_share_guid = may_share_guid(n, port);
      const auto status = builder.describe_port(place[n], num, spec);
      if (!status) return forward(status);
    }
  }
  for (const Cable& cable : cables_) {
    if (!used_[cable.a] || !used_[cable.b]) continue;
    const auto status = builder.connect(place[cable.a], PortNum(cable.a_port), place[cable.b],
                                        PortNum(cable.b_port));
    if (!status) return forward(status);
  }
  return builder;
}

Result<Observed> Assembly::build() {
  const auto builder = fill_builder();
  if (!builder) return forward(builder);
  Observed observed;
  observed.warnings = std::move(found_.warnings);
  observed.shared_guids = std::move(found_.shared_guids);
  auto fabric = builder->build(&observed.warnings);
  if (!fabric) return forward(fabric);
  observed.fabric = std::move(*fabric);
  observed.contradictions = contradictions_;
  observed.silent = std::move(found_.silent);
  observed.illegal = std::move(found_.illegal);
  observed.avoided = std::move(found_.avoided);
  observed.self_port = PortNum(found_.own_port);
  observed.self = *observed.fabric.find_node(node(0).seen.info.node_guid);
  observed.nodes.resize(observed.fabric.node_count());
  for (std::uint32_t n = 0; n < found_.nodes.size(); ++n) {
    if (!used_[n]) continue;
    const auto id = observed.fabric.find_node(node(n).seen.info.node_guid);
    CHECK(id.has_value());
    observed.nodes[id->value()] = std::move(found_.nodes[n].seen);
  }
  observed.more_own_ports = std::move(found_.more_own_ports);
  observed.self_endport =
      observed.fabric.endport_at(observed.fabric.port_id(observed.self, observed.self_port));
  for (const PortNum port : observed.more_own_ports)
    if (const PortId id = observed.fabric.port_id(observed.self, port);
        observed.self_endport == kNoEndport && id != kNoPort)
      observed.self_endport = observed.fabric.endport_at(id);
  return observed;
}

}  // namespace

std::string describe(const DiscoveredNode& node) {
  return fmt::format("'{}' (0x{:016x})", node.description, node.seen.info.node_guid.value());
}

Discovered as_found(const Observed& observed) {
  const Fabric& fabric = observed.fabric;
  Discovered found;
  found.own_port = observed.self_port.value();
  found.avoided = observed.avoided;
  // The manager's own node must be first; the order of the other nodes is unchanged.
  const auto index_of = [&](NodeId node) {
    if (node == observed.self) return 0u;
    return node < observed.self ? node.value() + 1 : node.value();
  };
  found.nodes.resize(fabric.node_count());
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const NodeId id(n);
    DiscoveredNode& node = found.nodes[index_of(id)];
    node.seen = observed.nodes[n];
    node.description = fabric.node(id).description;
    const auto ports = fabric.ports(id);
    node.neighbors.resize(ports.size());
    node.port_guids.reserve(ports.size());
    for (const Port& port : ports) {
      node.port_guids.push_back(port.guid);
      const bool has_neighbor =
          fabric.is_switch(id) || (id == observed.self && port.num == observed.self_port);
      if (!has_neighbor || port.peer == kNoPort) continue;
      const Port& peer = fabric.port(port.peer);
      node.neighbors[port.num.value()] = {index_of(peer.node), peer.num.value()};
    }
  }
  return found;
}

bool compute_paths(Discovered& found) {
  for (DiscoveredNode& node : found.nodes) node.is_unreachable = true;
  std::vector<std::uint32_t> reached{0};
  found.nodes[0].is_unreachable = false;
  const auto add_path = [&](const Neighbor& end, const DirectedPath& path) {
    DiscoveredNode& node = found.nodes[end.node];
    const bool is_switch = node.seen.info.type == NodeType::kSwitch;
    const bool first = std::exchange(node.is_unreachable, false);
    if (first) {
      node.seen.paths[0] = path;
      if (is_switch) reached.push_back(end.node);
    }
    const bool own = end.node == 0 && end.port == found.own_port;
    if (!is_switch && !own) node.seen.paths[end.port] = path;
  };
  for (std::size_t head = 0; head < reached.size(); ++head) {
    const DiscoveredNode& from = found.nodes[reached[head]];
    for (std::size_t p = 1; p < from.neighbors.size(); ++p) {
      const PortNum port(static_cast<std::uint8_t>(p));
      const DirectedPath path = from.seen.path(port);
      if (from.neighbors[p].known() && path.count < kHopsMax)
        add_path(from.neighbors[p], longer(path, port));
    }
  }
  return std::ranges::none_of(found.nodes, &DiscoveredNode::is_unreachable);
}

Result<Observed> assemble(Discovered&& found) {
  CHECK(!found.nodes.empty());
  Assembly assembly(found);
  assembly.drop_silent_nodes();
  assembly.resolve_cables();
  assembly.drop_separated_nodes();
  assembly.warn_of_shared_port_guids();
  return assembly.build();
}

}  // namespace weft
