// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/fnm_rings.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/disjoint_sets.h"
#include "base/printable.h"

namespace weft {
namespace {

/// The switches of each system of several switches with an FNM port, by system image GUID.
std::map<Guid, std::vector<SwitchId>> systems_with_fnm_ports(const Fabric& fabric) {
  std::map<Guid, std::vector<SwitchId>> systems;
  for (const FnmEnd& end : fabric.fnm_ends())
    systems[fabric.node(fabric.port(end.port).node).system_guid];
  systems.erase(Guid(0));
  for (std::uint32_t s = 0; s < fabric.switch_count() && !systems.empty(); ++s)
    if (const auto system = systems.find(fabric.node(SwitchId(s)).system_guid);
        system != systems.end())
      system->second.emplace_back(s);
  std::erase_if(systems, [](const auto& system) { return system.second.size() < 2; });
  return systems;
}

/// Counts the FNM links of each switch of a system.
std::vector<FnmRingFinding> links_of_system(const Fabric& fabric, Guid system,
                                            const std::vector<SwitchId>& switches) {
  DisjointSets joined(static_cast<std::uint32_t>(switches.size()));
  std::vector<FnmRingFinding> found;
  for (std::uint32_t i = 0; i < switches.size(); ++i) {
    const Node& node = fabric.node(switches[i]);
    FnmRingFinding& at = found.emplace_back();
    at.system = system;
    at.node = node.node_guid;
    at.name = node.description;
    at.expected = static_cast<std::uint32_t>(switches.size());
    for (const Port& port : fabric.ports(switches[i])) {
      const FnmEnd* const end = fabric.fnm_end(fabric.port_id(port.node, port.num));
      if (end == nullptr) continue;
      if (end->peer == kNoPort) {
        at.ports_without_link.push_back(port.num.value());
        continue;
      }
      const SwitchId far(fabric.port(end->peer).node.value());
      const auto member = std::ranges::lower_bound(switches, far);
      if (member == switches.end() || *member != far) {
        ++at.outside;
        continue;
      }
      ++at.links;
      joined.join(i, static_cast<std::uint32_t>(member - switches.begin()));
    }
  }
  std::vector<std::uint32_t> size(switches.size(), 0);
  for (std::uint32_t i = 0; i < switches.size(); ++i) ++size[joined.find(i)];
  for (std::uint32_t i = 0; i < switches.size(); ++i) found[i].connected = size[joined.find(i)];
  return found;
}

}  // namespace

FnmRings examine_fnm_rings(const Fabric& fabric) {
  FnmRings rings;
  for (const FnmEnd& end : fabric.fnm_ends()) {
    ++rings.ports;
    rings.links += end.peer != kNoPort && end.port <= end.peer ? 1 : 0;
  }
  for (const auto& [system, switches] : systems_with_fnm_ports(fabric)) {
    ++rings.systems;
    std::vector<FnmRingFinding> found = links_of_system(fabric, system, switches);
    const auto has_other_links = [](const FnmRingFinding& at) {
      return at.links != kFnmLinksOfAsic || at.outside > 0;
    };
    if (std::ranges::any_of(found, has_other_links))
      std::erase_if(found, [&](const FnmRingFinding& at) { return !has_other_links(at); });
    else if (found.front().connected == found.front().expected)
      found.clear();
    std::ranges::move(found, std::back_inserter(rings.findings));
  }
  return rings;
}

std::string describe(const FnmRingFinding& finding) {
  std::string text =
      fmt::format("FNM ring of system 0x{:016x} is not closed: '{}' (0x{:016x})",
                  finding.system.value(), printable(finding.name), finding.node.value());
  if (!finding.ports_without_link.empty())
    text += fmt::format(" port {} without a link", fmt::join(finding.ports_without_link, ", "));
  text += fmt::format(": FNM links in the system: {}, expected {}", finding.links, kFnmLinksOfAsic);
  if (finding.outside > 0)
    text += fmt::format("; FNM links to other systems: {}, expected 0", finding.outside);
  if (finding.links == kFnmLinksOfAsic && finding.outside == 0)
    text +=
        fmt::format("; in a ring of {} switches, expected {}", finding.connected, finding.expected);
  return text;
}

}  // namespace weft
