// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/port_groups.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/regexp.h"
#include "base/text.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 3> kPredefined{"ALL", "ALL_SWITCHES", "ALL_CAS"};

using Ports = std::vector<bool>;

bool is_listed(const GroupGuid& guid, unsigned port) {
  return guid.ports.empty() || std::ranges::any_of(guid.ports, [&](const auto& range) {
           return port >= range.first && port <= range.second;
         });
}

/// Adds the listed ports of the node with this node GUID, or of the switch with this port GUID, or
/// the CA or router ports with this port GUID.
void add_guid(const Fabric& fabric, const GroupGuid& guid, Ports& ports) {
  auto node = fabric.find_node(guid.guid);
  bool by_port_guid = false;
  if (!node) {
    const auto endport = fabric.find_endport(guid.guid);
    if (!endport) return;
    node = fabric.endport(*endport).node;
    by_port_guid = !fabric.is_switch(*node);
  }
  for (const Port& port : fabric.ports(*node)) {
    const PortId id = fabric.port_id(*node, port.num);
    if (by_port_guid && port.guid != guid.guid) continue;
    if (port.num != PortNum(0) && is_listed(guid, port.num.value())) ports[id.value()] = true;
  }
}

bool matches(const GroupHost& host, const Node& node) {
  const auto words = split_words(node.description);
  if (node.description == host.hostname) return !host.hca;
  if (words.empty() || words[0] != host.hostname) return false;
  return !host.hca || std::ranges::find(words, fmt::format("HCA-{}", *host.hca)) != words.end();
}

void add_ports(const Fabric& fabric, NodeId node, const std::optional<unsigned>& only,
               Ports& ports) {
  for (const Port& port : fabric.ports(node))
    if (port.num != PortNum(0) && (!only || *only == port.num.value()))
      ports[fabric.port_id(node, port.num).value()] = true;
}

Ports predefined(const Fabric& fabric, std::string_view name) {
  Ports ports(fabric.port_count(), false);
  for (std::uint32_t n = 0; n < fabric.node_count(); ++n) {
    const NodeType type = fabric.node(NodeId(n)).type;
    if (name == "ALL" || (name == "ALL_SWITCHES" && type == NodeType::kSwitch) ||
        (name == "ALL_CAS" && type == NodeType::kCa))
      add_ports(fabric, NodeId(n), {}, ports);
  }
  return ports;
}

Ports external_ports(const PortGroups& groups, std::string_view name, const Fabric& fabric) {
  if (std::ranges::find(kPredefined, name) != kPredefined.end()) return predefined(fabric, name);
  const auto found = std::ranges::find(groups.groups, name, &PortGroup::name);
  CHECK(found != groups.groups.end());
  const PortGroup& group = *found;
  Ports ports(fabric.port_count(), false);
  const auto each_node = [&](auto&& is_meant, const std::optional<unsigned>& port) {
    for (std::uint32_t n = 0; n < fabric.node_count(); ++n)
      if (is_meant(fabric.node(NodeId(n)))) add_ports(fabric, NodeId(n), port, ports);
  };
  switch (group.rule) {
    case PortGroup::Rule::kGuids:
      for (const GroupGuid& guid : group.guids) add_guid(fabric, guid, ports);
      break;
    case PortGroup::Rule::kGuidRange: {
      const auto within = [&](Guid guid) {
        return guid >= group.range.first && guid <= group.range.second;
      };
      each_node([&](const Node& node) { return within(node.node_guid); }, {});
      for (const Endport& endport : fabric.endports())
        if (!fabric.is_switch(endport.node) && within(fabric.port(endport.port).guid))
          ports[endport.port.value()] = true;
      break;
    }
    case PortGroup::Rule::kHosts:
      for (const GroupHost& host : group.hosts)
        each_node(
            [&](const Node& node) { return node.type == NodeType::kCa && matches(host, node); },
            host.port);
      break;
    case PortGroup::Rule::kRegexp: {
      const auto regexp = Regexp::compile(group.regexp);
      each_node([&](const Node& node) { return regexp && regexp->finds(node.description); },
                group.regexp_port);
      break;
    }
    case PortGroup::Rule::kUnion:
    case PortGroup::Rule::kSubtract: {
      ports = external_ports(groups, group.of.first, fabric);
      const Ports other = external_ports(groups, group.of.second, fabric);
      const bool unite = group.rule == PortGroup::Rule::kUnion;
      for (std::size_t i = 0; i < ports.size(); ++i)
        if (other[i]) ports[i] = unite;
      break;
    }
  }
  return ports;
}

}  // namespace

bool PortGroups::has(std::string_view name) const {
  return std::ranges::find(kPredefined, name) != kPredefined.end() ||
         std::ranges::find(groups, name, &PortGroup::name) != groups.end();
}

std::string PortGroups::missing_text(std::string_view name) const {
  if (path.empty())
    return fmt::format("port group {} is not defined: there is no pgrp_policy_file", quoted(name));
  std::string names;
  for (const PortGroup& group : groups) names += group.name + ", ";
  return fmt::format("port group {} is not defined in {}; expected one of: {}{}", quoted(name),
                     path, names, fmt::join(kPredefined, ", "));
}

std::optional<std::string_view> group_named(std::string_view word) {
  if (!word.starts_with(kGroupPrefix) || word.size() == kGroupPrefix.size()) return std::nullopt;
  return word.substr(kGroupPrefix.size());
}

std::vector<bool> ports_of_group(const PortGroups& groups, std::string_view name,
                                 const Fabric& fabric) {
  Ports ports = external_ports(groups, name, fabric);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    const NodeId node = Fabric::node_of(SwitchId(s));
    const PortId zero = fabric.port_id(node, PortNum(0));
    for (const Port& port : fabric.ports(SwitchId(s)))
      if (ports[fabric.port_id(node, port.num).value()]) ports[zero.value()] = true;
  }
  return ports;
}

std::vector<EndportId> endports_of_group(const PortGroups& groups, std::string_view name,
                                         const Fabric& fabric) {
  const Ports ports = ports_of_group(groups, name, fabric);
  std::vector<EndportId> found;
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e)
    if (ports[fabric.endport(EndportId(e)).port.value()]) found.push_back(EndportId(e));
  return found;
}

}  // namespace weft
