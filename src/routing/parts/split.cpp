// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <algorithm>
#include <utility>

#include "base/disjoint_sets.h"
#include "fabric/without.h"
#include "routing/parts/part_sizes.h"
#include "routing/parts/parts.h"

namespace weft {
namespace {

/// By switch: the lowest switch of its part.
std::vector<std::uint32_t> part_names(const Fabric& fabric) {
  DisjointSets sets(fabric.switch_count());
  for (const Channel& channel : fabric.channels())
    sets.join(channel.from.value(), channel.to.value());
  std::vector<std::uint32_t> names(fabric.switch_count());
  for (std::uint32_t s = 0; s < names.size(); ++s) names[s] = sets.find(s);
  return names;
}

PartSize size_of(const FabricPart& part) {
  return {part.fabric.switch_count(), part.fabric.ca_count()};
}

bool has_more(const PartSize& a, const PartSize& b) {
  return std::pair(a.cas, a.switches) > std::pair(b.cas, b.switches);
}

FabricPart make_part(const Fabric& whole, const std::vector<std::uint32_t>& names,
                     std::uint32_t name) {
  std::vector<bool> taken(whole.node_count(), false);
  for (std::uint32_t s = 0; s < whole.switch_count(); ++s) taken[s] = names[s] == name;
  for (const Endport& endport : whole.endports())
    if (endport.sw != kNoSwitch && names[endport.sw.value()] == name)
      taken[endport.node.value()] = true;
  std::vector<NodeId> others;
  for (std::uint32_t n = 0; n < taken.size(); ++n)
    if (!taken[n]) others.push_back(NodeId(n));
  FabricPart part{without(whole, others, {}), {}, {}, {}};
  const Fabric& fabric = part.fabric;
  std::vector<NodeId> nodes;
  for (const Node& node : fabric.nodes()) nodes.push_back(*whole.find_node(node.node_guid));
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    part.switches.emplace_back(nodes[s].value());
  for (const Endport& endport : fabric.endports())
    part.endports.push_back(whole.endport_at(
        whole.port_id(nodes[endport.node.value()], fabric.port(endport.port).num)));
  for (const Channel& channel : fabric.channels())
    part.channels.push_back(
        whole.channel_at(part.switches[channel.from.value()], channel.from_port));
  return part;
}

}  // namespace

std::vector<FabricPart> split_into_parts(const Fabric& whole) {
  const auto names = part_names(whole);
  std::vector<FabricPart> parts;
  for (std::uint32_t s = 0; s < names.size(); ++s)
    if (names[s] == s) parts.push_back(make_part(whole, names, s));
  std::ranges::stable_sort(parts, has_more, &size_of);
  return parts;
}

std::string describe(const FabricPart& part, std::size_t index) {
  const auto plural = [](std::uint32_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
  };
  return fmt::format("part {} ({}, {})", index + 1,
                     plural(part.fabric.switch_count(), "switch", "switches"),
                     plural(part.fabric.ca_count(), "CA", "CAs"));
}

std::vector<PartSize> part_sizes(const Fabric& fabric) {
  const auto names = part_names(fabric);
  std::vector<PartSize> by_name(fabric.switch_count());
  std::vector<std::uint32_t> last_in(fabric.switch_count(),
                                     0xFFFFFFFF);  // by part: the CA counted last
  for (const Endport& endport : fabric.endports()) {
    if (endport.sw == kNoSwitch) continue;
    const std::uint32_t name = names[endport.sw.value()];
    if (fabric.is_switch(endport.node))
      ++by_name[name].switches;
    else if (std::exchange(last_in[name], endport.node.value()) != endport.node.value())
      ++by_name[name].cas;
  }
  std::vector<PartSize> sizes;
  for (std::uint32_t s = 0; s < names.size(); ++s)
    if (names[s] == s) sizes.push_back(by_name[s]);
  std::ranges::stable_sort(sizes, has_more);
  return sizes;
}

}  // namespace weft
