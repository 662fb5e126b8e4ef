// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/planes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/disjoint_sets.h"
#include "fabric/servers.h"

namespace weft {
namespace {

constexpr std::size_t kDistributionsMax = 256;

/// Servers with ports in the same connected parts.
struct Distribution {
  std::map<std::uint32_t, std::uint64_t> ports;  // number of ports of all these servers, by part
  std::uint64_t all = 0;

  bool shares_part(const Distribution& other) const {
    return std::ranges::any_of(
        ports, [&](const auto& entry) { return other.ports.contains(entry.first); });
  }
};

/// CA and router ports that have a LID and are cabled to switches.
std::vector<EndportId> ports_at_switches(const Fabric& fabric) {
  std::vector<EndportId> ports;
  for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e)
    if (fabric.endport(EndportId(e)).addressed()) ports.emplace_back(e);
  return ports;
}

/// Whether every switch is in the same part.
bool is_whole(std::span<const std::uint32_t> parts) {
  return std::ranges::all_of(parts, [&](std::uint32_t part) { return part == parts.front(); });
}

/// The place of a port in its server: adapter and port number.
using Place = std::pair<std::uint32_t, std::uint8_t>;

Place place_of(const Fabric& fabric, NodeId node, PortNum num) {
  return {adapter_number(fabric.node(node).description).value_or(0), num.value()};
}

/// Finds the places of ports that are in the same plane.
class PlaneFinder {
 public:
  PlaneFinder(const Fabric& fabric, std::vector<std::uint32_t> parts, std::uint32_t stated)
      : fabric_(fabric), stated_(stated), part_(std::move(parts)), joined_(fabric.switch_count()) {
    for (std::uint32_t e = fabric.switch_count(); e < fabric.endport_count(); ++e) {
      const Endport& endport = fabric.endport(EndportId(e));
      const bool is_ca = fabric.node(endport.node).type == NodeType::kCa;
      if (is_ca && endport.sw != kNoSwitch) ports_.emplace_back(e);  // with or without a LID
    }
    servers_ = ports_by_server(fabric, ports_);
  }

  Planes find() {
    collect_places();
    Planes result;
    if (!number_planes(result)) return {};
    fill(result);
    return result;
  }

 private:
  const Endport& port(std::uint32_t position) const { return fabric_.endport(ports_[position]); }
  std::uint32_t part_of(std::uint32_t position) const { return part_[port(position).sw.value()]; }

  /// Collects the places of servers with ports in several parts, or with as many ports as there are
  /// planes.
  void collect_places() {
    for (const auto& server : servers_) {
      const auto in_first_part = [&](std::uint32_t p) { return part_of(p) == part_of(server[0]); };
      const bool is_stated =
          stated_ > 1 && fabric_.node(port(server[0]).node).port_count == stated_;
      if (!is_stated && std::ranges::all_of(server, in_first_part)) continue;
      for (const std::uint32_t position : server) {
        const NodeId node = port(position).node;
        for (const Port& each : fabric_.ports(node).subspan(1))
          places_.try_emplace(place_of(fabric_, node, each.num), kNoPart);
        auto& known = places_[place_of(fabric_, node, fabric_.port(port(position).port).num)];
        if (known == kNoPart)
          known = part_of(position);
        else
          joined_.join(known, part_of(position));
      }
    }
  }

  /// Numbers the planes. Returns false if there are fewer than two.
  bool number_planes(Planes& result) {
    for (const auto& [place, part] : places_) {
      if (part == kNoPart)
        result.planes.emplace_back();
      else if (number_.try_emplace(joined_.find(part), result.planes.size() + 1).second)
        result.planes.emplace_back();
    }
    return number_.size() > 1 || (stated_ > 1 && result.planes.size() > 1);
  }

  void fill(Planes& result) {
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const auto found = number_.find(joined_.find(part_[s]));
      result.of_switch.push_back(
          found == number_.end() ? 0 : static_cast<std::uint32_t>(found->second));
      if (result.of_switch[s] > 0) ++result.planes[result.of_switch[s] - 1].switches;
    }
    for (const auto& server : servers_) {
      std::set<std::uint32_t> reached;
      for (const std::uint32_t position : server)
        if (const std::uint32_t plane = result.of(port(position).sw); plane > 0) {
          ++result.planes[plane - 1].ports;
          reached.insert(plane);
        }
      for (const std::uint32_t plane : reached) ++result.planes[plane - 1].hosts;
      result.hosts += reached.empty() ? 0 : 1;
    }
  }

  static constexpr std::uint32_t kNoPart = 0xFFFFFFFF;
  const Fabric& fabric_;
  const std::uint32_t stated_;
  std::vector<std::uint32_t> part_;
  DisjointSets joined_;  // parts of the same plane are one set
  std::vector<EndportId> ports_;
  std::vector<std::vector<std::uint32_t>> servers_;  // positions in ports_
  std::map<Place, std::uint32_t> places_;            // part of ports at a place; kNoPart: no cable
  std::map<std::uint32_t, std::size_t> number_;      // by the part that represents the plane
};

}  // namespace

std::vector<std::uint32_t> connected_parts(const Fabric& fabric) {
  DisjointSets joined(fabric.switch_count());
  for (const Channel& channel : fabric.channels())
    if (channel.from < channel.to) joined.join(channel.from.value(), channel.to.value());
  std::vector<std::uint32_t> part;
  part.reserve(fabric.switch_count());
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) part.push_back(joined.find(s));
  return part;
}

Planes find_planes(const Fabric& fabric, std::uint32_t stated) {
  std::vector<std::uint32_t> parts = connected_parts(fabric);
  if (stated <= 1 && is_whole(parts)) return {};
  return PlaneFinder(fabric, std::move(parts), stated).find();
}

bool parts_are_planes(const Fabric& fabric) {
  const Planes planes = find_planes(fabric);
  const auto used =
      std::ranges::count_if(planes.planes, [](const Plane& plane) { return plane.switches > 0; });
  const std::vector<std::uint32_t> part = connected_parts(fabric);
  const std::set<std::uint32_t> parts(part.begin(), part.end());
  return static_cast<std::size_t>(used) == parts.size() && used > 1 &&
         std::ranges::count(planes.of_switch, 0u) == 0;
}

std::vector<std::uint64_t> ports_in_other_planes(const Fabric& fabric,
                                                 std::span<const std::uint32_t> part) {
  if (is_whole(part)) return {};
  const auto ports = ports_at_switches(fabric);
  const auto part_of = [&](std::uint32_t position) {
    return part[fabric.endport(ports[position]).sw.value()];
  };
  std::map<std::set<std::uint32_t>, std::size_t> known;  // index of the distribution by its parts
  std::vector<Distribution> distributions;
  std::vector<std::size_t> distribution_of(ports.size());  // index by position in `ports`
  for (const auto& server : ports_by_server(fabric, ports)) {
    std::set<std::uint32_t> parts;
    for (const std::uint32_t position : server) parts.insert(part_of(position));
    const auto [at, fresh] = known.try_emplace(std::move(parts), distributions.size());
    if (fresh) distributions.emplace_back();
    if (distributions.size() > kDistributionsMax) return {};
    Distribution& distribution = distributions[at->second];
    distribution.all += server.size();
    for (const std::uint32_t position : server) {
      ++distribution.ports[part_of(position)];
      distribution_of[position] = at->second;
    }
  }
  // Number of ports in other parts, by distribution and by each of its parts.
  std::vector<std::map<std::uint32_t, std::uint64_t>> apart(distributions.size());
  std::uint64_t most = 0;
  for (std::size_t d = 0; d < distributions.size(); ++d)
    for (const auto& [own_part, count] : distributions[d].ports)
      for (const Distribution& other : distributions) {
        if (!distributions[d].shares_part(other)) continue;
        const auto found = other.ports.find(own_part);
        apart[d][own_part] += other.all - (found == other.ports.end() ? 0 : found->second);
        most = std::max(most, apart[d][own_part]);
      }
  if (most == 0) return {};
  std::vector<std::uint64_t> result(fabric.endport_count(), 0);
  for (std::uint32_t position = 0; position < ports.size(); ++position)
    result[ports[position].value()] = apart[distribution_of[position]][part_of(position)];
  return result;
}

}  // namespace weft
