// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/health/health_findings.h"

#include <tuple>
#include <utility>

namespace weft {
namespace {

CableEnd cable_end_at(const Fabric& fabric, const Port& port) {
  return {fabric.node(port.node).node_guid, port.num};
}

/// Number of hops from the manager to the node of a port.
unsigned hops_to(const Observed& observed, const Port& port) {
  if (port.node == observed.self) return 0;
  return observed.nodes[port.node.value()].path(port.num).count;
}

HealthPort port_behind(const Fabric& fabric, const Port& near) {
  HealthPort found;
  found.near = cable_end_at(fabric, near);
  found.near_name = fabric.node(near.node).description;
  const PortId peer = fabric.far_end(fabric.port_id(near.node, near.num));
  if (peer == kNoPort) return found;
  const Port& far = fabric.port(peer);
  found.far = cable_end_at(fabric, far);
  found.is_switch = fabric.is_switch(far.node);
  found.name = fabric.node(far.node).description;
  return found;
}

void add_finding(HealthFindings& findings, HealthCondition condition,
                 std::optional<HealthPort> port) {
  if (port) findings.emplace_back(condition, std::move(*port));
}

/// The current PortInfo of a port; null if its node is not part of `observed`, or if the port has
/// not answered.
const PortInfo* port_info_now(const Observed& observed, Guid node, PortNum port) {
  const auto id = observed.fabric.find_node(node);
  if (!id) return nullptr;
  const ObservedNode& seen = observed.nodes[id->value()];
  return port.value() < seen.ports.size() && seen.answered[port.value()] ? &seen.ports[port.value()]
                                                                         : nullptr;
}

/// The port that has the LID of an endport.
PortNum port_with_lid(const Fabric& fabric, const Endport& endport) {
  return fabric.is_switch(endport.node) ? PortNum(0) : fabric.port(endport.port).num;
}

}  // namespace

std::optional<HealthPort> health_port(const Observed& observed, NodeId node, PortNum port) {
  const Fabric& fabric = observed.fabric;
  const PortId id = fabric.port_id(node, port);
  if (id == kNoPort || port == PortNum(0)) return std::nullopt;
  const Port* near = &fabric.port(id);
  if (near->peer != kNoPort) {
    const Port& peer = fabric.port(near->peer);
    const auto order = [&](const Port& end) {
      return std::tuple(!fabric.is_switch(end.node), hops_to(observed, end),
                        cable_end_at(fabric, end));
    };
    if (order(peer) < order(*near)) near = &peer;
    const NodeId far = fabric.port(near->peer).node;
    if (far == observed.self && !fabric.is_switch(far)) return std::nullopt;
  }
  if (!fabric.is_switch(near->node)) return std::nullopt;
  return port_behind(fabric, *near);
}

std::optional<HealthPort> health_port_at(const Observed& observed, const DirectedPath& path) {
  const Fabric& fabric = observed.fabric;
  NodeId at = observed.self;
  for (std::uint8_t hop = 1; hop < path.count; ++hop) {
    const PortId out = fabric.port_id(at, PortNum(path.hops[hop]));
    const PortId next = out == kNoPort ? kNoPort : fabric.far_end(out);
    if (next == kNoPort) return std::nullopt;
    at = fabric.port(next).node;
  }
  if (path.count == 0 || !fabric.is_switch(at)) return std::nullopt;
  const PortId near = fabric.port_id(at, PortNum(path.hops[path.count]));
  if (near == kNoPort) return std::nullopt;
  return port_behind(fabric, fabric.port(near));
}

std::optional<HealthPort> health_port_of(const Observed& observed, NodeId node) {
  if (node == observed.self) return std::nullopt;
  for (const DirectedPath& path : observed.nodes[node.value()].paths)
    if (path.count > 0) return health_port_at(observed, path);
  return std::nullopt;
}

HealthFindings flapping_ports(const Observed& before, const Observed& now) {
  HealthFindings findings;
  const Fabric& fabric = before.fabric;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    for (const Port& port : fabric.ports(NodeId(s))) {
      if (port.peer == kNoPort) continue;
      const auto link = health_port(before, port.node, port.num);
      if (!link || link->near != cable_end_at(fabric, port)) continue;  // each link only once
      if (now.avoided.has(link->near)) continue;
      const PortInfo& was = before.nodes[s].ports[port.num.value()];
      const PortInfo* is = port_info_now(now, link->near.guid, port.num);
      if (is == nullptr || was.state <= PortState::kInit || is->state > PortState::kInit) continue;
      const PortInfo* agent = port_info_now(now, link->near.guid, PortNum(0));
      if (agent != nullptr && agent->lid == kLidNone) continue;  // the switch restarted
      findings.emplace_back(HealthCondition::kFlapping, *link);
    }
  return findings;
}

HealthFindings unresponsive_ports(const Observed& now) {
  HealthFindings findings;
  for (const SilentPort& silent : now.silent)
    if (!silent.refused)
      add_finding(findings, HealthCondition::kUnresponsive, health_port_at(now, silent.path));
  return findings;
}

HealthFindings illegal_ports(const Observed& now) {
  HealthFindings findings;
  for (const DirectedPath& path : now.illegal)
    add_finding(findings, HealthCondition::kIllegal, health_port_at(now, path));
  return findings;
}

HealthFindings restarted_nodes(const Observed& before, const Observed& now,
                               const LidMemory& known) {
  HealthFindings findings;
  const Fabric& fabric = now.fabric;
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) {
    const Endport& endport = fabric.endport(EndportId(e));
    const PortNum agent = port_with_lid(fabric, endport);
    const NodeId node = endport.node;
    if (now.nodes[node.value()].ports[agent.value()].lid != kLidNone) continue;
    if (find_lid(fabric, EndportId(e), known) == known.end()) continue;
    const PortInfo* was = port_info_now(before, fabric.node(node).node_guid, agent);
    if (was != nullptr && was->lid == kLidNone) continue;
    add_finding(findings, HealthCondition::kReboot,
                fabric.is_switch(node) ? health_port_of(now, node) : health_port(now, node, agent));
  }
  return findings;
}

}  // namespace weft
