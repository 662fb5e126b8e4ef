// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/slurm.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "exports/blocks.h"
#include "exports/hostlist.h"

namespace weft {
namespace {

std::string list(const std::vector<SwitchId>& switches, const std::vector<std::string>& names) {
  std::vector<std::string> listed;
  listed.reserve(switches.size());
  for (const SwitchId sw : switches) listed.push_back(names[sw.value()]);
  return compress_hostlist(std::move(listed));
}

std::string lines_of(const HostGroups& groups, const HostGroup& group,
                     const std::vector<std::string>& names) {
  std::vector<std::string> children;
  for (const std::uint32_t unit : group.units) children.push_back(groups.units[unit].name);
  for (const std::uint32_t inside : group.groups) children.push_back(groups.groups[inside].name);
  std::string text;
  if (group.tops.size() > 1)
    text = fmt::format("# {}: {} switches above: {}\n", group.name, group.tops.size(),
                       list(group.tops, names));
  return text + fmt::format("SwitchName={} Switches={}\n", group.name, compress_hostlist(children));
}

}  // namespace

std::string slurm_tree(const HostGroups& groups, const std::vector<std::string>& switch_names) {
  std::string text;
  for (const HostUnit& unit : groups.units) {
    if (unit.leaves.size() > 1)
      text += fmt::format("# {}: {} leaf switches: {}\n", unit.name, unit.leaves.size(),
                          list(unit.leaves, switch_names));
    text += fmt::format("SwitchName={} Nodes={}\n", unit.name, compress_hostlist(unit.hosts));
  }
  for (const HostGroup& group : groups.groups) text += lines_of(groups, group, switch_names);
  return text;
}

std::string slurm_as_cabled(const Fabric& fabric, const std::vector<Host>& hosts,
                            const std::vector<std::string>& switch_names,
                            std::vector<std::string>& warnings) {
  std::vector<std::vector<std::string>> nodes(fabric.switch_count());
  for (const Host& host : hosts)
    for (const SwitchId leaf : host.leaves) nodes[leaf.value()].push_back(host.name);
  std::vector<std::uint32_t> order(fabric.switch_count());
  for (std::uint32_t s = 0; s < order.size(); ++s) order[s] = s;
  std::ranges::sort(order, natural_less, [&](std::uint32_t s) { return switch_names[s]; });
  std::string text;
  std::vector<std::string> parent(fabric.switch_count());
  bool warned = false;
  for (const std::uint32_t s : order) {
    if (!nodes[s].empty()) {
      text += fmt::format("SwitchName={} Nodes={}\n", switch_names[s], compress_hostlist(nodes[s]));
      continue;
    }
    std::set<std::uint32_t> peers;
    for (const Channel& channel : fabric.channels_from(SwitchId(s)))
      peers.insert(channel.to.value());
    std::vector<std::string> names;
    for (const std::uint32_t peer : peers) {
      names.push_back(switch_names[peer]);
      const bool mutual = nodes[peer].empty();
      if (!warned && (mutual || !parent[peer].empty())) {
        warned = true;
        warnings.push_back(mutual ? fmt::format("{} and {} list each other: Slurm requires a tree",
                                                switch_names[s], switch_names[peer])
                                  : fmt::format("{} is below both {} and {}: Slurm requires a tree",
                                                switch_names[peer], parent[peer], switch_names[s]));
      }
      parent[peer] = switch_names[s];
    }
    if (!names.empty())
      text += fmt::format("SwitchName={} Switches={}\n", switch_names[s], compress_hostlist(names));
  }
  return text;
}

Result<std::string> slurm_blocks(const HostGroups& groups, std::optional<std::uint32_t> block_size,
                                 std::vector<std::string>& warnings) {
  const auto found = blocks_of(groups, block_size, warnings);
  if (!found) return forward(found);
  std::string text;
  for (const HostUnit& unit : groups.units) {
    const bool is_small = std::ranges::find(found->too_small, &unit) != found->too_small.end();
    text += fmt::format("{}BlockName={} Nodes={}\n", is_small ? "# too small: " : "", unit.name,
                        compress_hostlist(unit.hosts));
  }
  return text + fmt::format("BlockSizes={}\n", fmt::join(found->sizes, ","));
}

}  // namespace weft
