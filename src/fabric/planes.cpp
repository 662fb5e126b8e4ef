// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/planes.h"

#include <algorithm>
#include <map>
#include <set>

#include "fabric/servers.h"

namespace weft {
namespace {

constexpr std::size_t kDistributionsMax = 256;

/// Hosts with ports in the same parts.
struct Distribution {
  std::map<std::uint32_t, std::uint64_t> ports;  // of all these hosts, by part
  std::uint64_t all = 0;

  bool meets(const Distribution& other) const {
    return std::ranges::any_of(ports,
                               [&](const auto& its) { return other.ports.contains(its.first); });
  }
};

/// CA ports that are cabled to switches.
std::vector<EndportId> ports_at_switches(const Fabric& fabric) {
  std::vector<EndportId> ports;
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    if (fabric.endport(EndportId(e)).addressed()) ports.emplace_back(e);
  return ports;
}

}  // namespace

std::vector<std::uint64_t> ports_in_other_planes(const Fabric& fabric,
                                                 std::span<const std::uint32_t> part) {
  const auto ports = ports_at_switches(fabric);
  const auto part_of = [&](std::uint32_t position) {
    return part[fabric.endport(ports[position]).sw.value()];
  };
  std::map<std::set<std::uint32_t>, std::size_t> known;  // index of the distribution by its parts
  std::vector<Distribution> distributions;
  std::vector<std::size_t> its(ports.size());
  for (const auto& host : ports_by_host(fabric, ports)) {
    std::set<std::uint32_t> parts;
    for (const std::uint32_t position : host) parts.insert(part_of(position));
    const auto [at, fresh] = known.try_emplace(std::move(parts), distributions.size());
    if (fresh) distributions.emplace_back();
    if (distributions.size() > kDistributionsMax) return {};
    Distribution& distribution = distributions[at->second];
    distribution.all += host.size();
    for (const std::uint32_t position : host) {
      ++distribution.ports[part_of(position)];
      its[position] = at->second;
    }
  }
  // By distribution and one of its parts.
  std::vector<std::map<std::uint32_t, std::uint64_t>> apart(distributions.size());
  std::uint64_t most = 0;
  for (std::size_t d = 0; d < distributions.size(); ++d)
    for (const auto& [here, count] : distributions[d].ports)
      for (const Distribution& other : distributions) {
        if (!distributions[d].meets(other)) continue;
        const auto found = other.ports.find(here);
        apart[d][here] += other.all - (found == other.ports.end() ? 0 : found->second);
        most = std::max(most, apart[d][here]);
      }
  if (most == 0) return {};
  std::vector<std::uint64_t> result(fabric.endport_count(), 0);
  for (std::uint32_t position = 0; position < ports.size(); ++position)
    result[ports[position].value()] = apart[its[position]][part_of(position)];
  return result;
}

}  // namespace weft
