// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/health/health_watch.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "sm/health/health_findings.h"

namespace weft {
namespace {

void report_change(SmContext& sm, const HealthChange& change) {
  const HealthPort& port = change.port.port;
  const std::string what = change.is_unhealthy
                               ? fmt::format("{}: {}", change.why, name(change.port.action))
                               : change.why;
  if (change.is_unhealthy) {
    log::warn("Unhealthy port behind {}: {}", describe(port), what);
  } else {
    log::info("Healthy port behind {}: {}", describe(port), what);
  }
  sm.occurrences.add(PortHealthChanged{change.is_unhealthy, port.far.guid, port.name, port.far.port,
                                       port.near.guid, port.near_name, port.near.port, what});
}

void report_recovered(SmContext& sm, NodeId sw, PortNum num) {
  const Fabric& fabric = sm.memory.observed->fabric;
  const PortId id = fabric.port_id(sw, num);
  PortRecovered event{fabric.node(sw).node_guid, fabric.node(sw).description, num, {}, {}, {}};
  if (const PortId peer = fabric.port(id).peer; peer != kNoPort) {
    const Port& far = fabric.port(peer);
    event.peer = fabric.node(far.node).node_guid;
    event.peer_name = fabric.node(far.node).description;
    event.peer_port = far.num;
  }
  log::info("{} was recovered by its switch", describe(fabric, id));
  sm.occurrences.add(std::move(event));
}

/// A silent node is not part of `now`: its name and type are taken from the last answer.
void remember_silent_ports(SubnetMemory& memory, const Observed& before, const Observed& now) {
  for (const auto& finding : unresponsive_ports(now)) {
    const CableEnd& near = finding.second.near;
    const auto node = before.fabric.find_node(near.guid);
    const auto port = node ? health_port(before, *node, near.port) : std::nullopt;
    if (port && port->near == near && port->far.guid != Guid(0))
      memory.silent_ports.insert_or_assign(near, *port);
  }
}

HealthFindings silent_ports(SubnetMemory& memory) {
  HealthFindings findings = unresponsive_ports(*memory.observed);
  std::map<CableEnd, HealthPort> still;
  for (auto& finding : findings) {
    HealthPort& port = finding.second;
    const auto known = memory.silent_ports.find(port.near);
    if (port.far.guid == Guid(0) && known != memory.silent_ports.end()) port = known->second;
    if (port.far.guid != Guid(0)) still.emplace(port.near, port);
  }
  memory.silent_ports = std::move(still);
  return findings;
}

/// Ports of switches that must be disabled, or enabled again.
std::vector<PortSwitching> switch_ports(SubnetMemory& memory) {
  std::vector<PortSwitching> orders;
  std::set<CableEnd> disabled;
  for (const auto& [near, port] : memory.health.unhealthy())
    if (port.action == HealthAction::kDisable) disabled.insert(near);
  for (const CableEnd& end : disabled)
    if (!memory.disabled_ports.contains(end)) orders.push_back({end, false});
  for (const CableEnd& end : memory.disabled_ports)
    if (!disabled.contains(end)) orders.push_back({end, true});
  memory.disabled_ports = std::move(disabled);
  return orders;
}

/// Queues the switches that the next light sweeps read: all switches if `all`, otherwise the new
/// switches.
void queue_reasons(SubnetMemory& memory, bool all) {
  const Fabric& fabric = memory.observed->fabric;
  ReasonMemory& reasons = memory.reasons;
  const auto is_present = [&](Guid guid) { return fabric.find_node(guid).has_value(); };
  memory.health.forget_absent(is_present);
  std::erase_if(reasons.known, [&](Guid guid) { return !is_present(guid); });
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const Guid guid = fabric.node(NodeId(s)).node_guid;
    if (reasons.known.insert(guid).second || all) reasons.to_read.insert(guid);
  }
}

}  // namespace

void observe_health(SmContext& sm, const Observed* before, const Observed& now) {
  SubnetMemory& memory = sm.memory;
  if (!memory.health.is_on()) return;
  for (const auto& finding : illegal_ports(now)) memory.health.note(finding, sm.now());
  if (before == nullptr) return;
  remember_silent_ports(memory, *before, now);
  if (sm.state != SmState::kMaster || memory.first_as_master) return;
  for (const auto& finding : restarted_nodes(*before, now, memory.lids.known()))
    memory.health.note(finding, sm.now());
  // Links that the manager has taken down are no findings: while such links train, no link counts
  // as flapping.
  if (memory.link_changes.is_awaiting()) return;
  for (auto& finding : flapping_ports(*before, now))
    memory.health_findings.push_back(std::move(finding));
}

void end_health_sweep(SmContext& sm, PortHealth::Sweep kind) {
  SubnetMemory& memory = sm.memory;
  auto findings = std::exchange(memory.health_findings, {});
  if (!memory.health.is_on() || sm.state != SmState::kMaster || !memory.observed) return;
  const Observed& observed = *memory.observed;
  for (auto& finding : silent_ports(memory)) findings.push_back(std::move(finding));
  for (const NodeId node : std::exchange(memory.refusing_nodes, {}))
    if (auto port = health_port_of(observed, node))
      findings.emplace_back(HealthCondition::kSetErr, std::move(*port));
  memory.health.end_sweep(findings, kind, sm.now());
  if (kind == PortHealth::Sweep::kFull) queue_reasons(memory, !sm.report.discovered_incrementally);
  for (const CableEnd& named : std::vector(memory.health.awaited_marks()))
    if (const auto node = observed.fabric.find_node(named.guid))
      if (const auto port = health_port(observed, *node, named.port))
        memory.health.mark_unhealthy(*port, named, sm.now());
}

void take_reasons(SmContext& sm, ReasonReading& reading) {
  SubnetMemory& memory = sm.memory;
  reading.conclude();
  for (const std::string& warning : reading.warnings()) log::warn("{}", warning);
  for (const auto& [sw, port] : reading.recovered()) report_recovered(sm, sw, port);
  for (const auto& [sw, port, condition] : reading.reports()) {
    const CableEnd at{memory.observed->fabric.node(sw).node_guid, port};
    if (const auto unhealthy = health_port(*memory.observed, sw, port))
      memory.health.report(at, *unhealthy, condition, sm.now());
  }
}

void request_reasons(SmContext& sm, Lid sw, TimeNs at) {
  const auto guid = sm.memory.switch_at(sw);
  if (!guid || !sm.memory.health.is_on() || sm.state != SmState::kMaster) return;
  sm.memory.reasons.to_read.insert(*guid);
  sm.schedule.next_light = std::min(sm.schedule.next_light, std::max(at, sm.now()));
}

void note_trap_for_health(SmContext& sm, EndportId sender) {
  SubnetMemory& memory = sm.memory;
  if (!memory.health.is_on() || !memory.observed) return;
  const Fabric& active = *memory.active_fabric();
  const Fabric& fabric = memory.observed->fabric;
  const auto endport = fabric.find_endport(active.port(active.endport(sender).port).guid);
  if (!endport) return;
  const Endport& at = fabric.endport(*endport);
  const auto port = fabric.is_switch(at.node)
                        ? health_port_of(*memory.observed, at.node)
                        : health_port(*memory.observed, at.node, fabric.port(at.port).num);
  if (port) memory.health.note({HealthCondition::kNoisy, *port}, sm.now());
}

std::vector<PortSwitching> react_to_health(SmContext& sm) {
  SubnetMemory& memory = sm.memory;
  if (!memory.health.has_changes() || sm.state != SmState::kMaster || !memory.observed) return {};
  for (const HealthChange& change : memory.health.take_changes()) report_change(sm, change);
  if (memory.health.avoided() != memory.observed->avoided)
    sm.request_heavy_sweep("links of unhealthy ports change");
  return switch_ports(memory);
}

}  // namespace weft
