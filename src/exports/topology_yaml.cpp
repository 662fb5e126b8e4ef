// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "exports/topology_yaml.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "exports/blocks.h"
#include "exports/hostlist.h"

namespace weft {
namespace {

constexpr const char* kSwitchIndent = "      ";

std::string switch_entry(const std::string& name, const char* members,
                         std::vector<std::string> names) {
  return fmt::format("{0}- switch: \"{1}\"\n{0}  {2}: \"{3}\"\n", kSwitchIndent, name, members,
                     compress_hostlist(std::move(names)));
}

std::string yaml_tree(const HostGroups& groups) {
  std::string text = "  tree:\n    switches:\n";
  for (const HostUnit& unit : groups.units) text += switch_entry(unit.name, "nodes", unit.hosts);
  for (const HostGroup& group : groups.groups) {
    std::vector<std::string> children;
    for (const std::uint32_t unit : group.units) children.push_back(groups.units[unit].name);
    for (const std::uint32_t inside : group.groups) children.push_back(groups.groups[inside].name);
    text += switch_entry(group.name, "children", std::move(children));
  }
  return text;
}

Result<std::string> yaml_blocks(const HostGroups& groups, std::optional<std::uint32_t> block_size,
                                std::vector<std::string>& warnings) {
  const auto found = blocks_of(groups, block_size, warnings);
  if (!found) return forward(found);
  std::string text =
      fmt::format("  block:\n    block_sizes: [{}]\n    blocks:\n", fmt::join(found->sizes, ", "));
  for (const HostUnit* block : found->blocks)
    text += fmt::format("{0}- block: \"{1}\"\n{0}  nodes: \"{2}\"\n", kSwitchIndent, block->name,
                        compress_hostlist(block->hosts));
  return text;
}

/// The first unit of a group in the order of units.
std::uint32_t first_unit(const HostGroups& groups, const HostGroup& group) {
  std::uint32_t first = kNoGroup;
  for (const std::uint32_t unit : group.units) first = std::min(first, unit);
  for (const std::uint32_t inside : group.groups)
    first = std::min(first, first_unit(groups, groups.groups[inside]));
  return first;
}

}  // namespace

void name_by_first_unit(HostGroups& groups) {
  std::size_t roots = 0;
  for (const HostGroup& group : groups.groups) roots += group.parent == kNoGroup ? 1 : 0;
  for (HostGroup& group : groups.groups) {
    const std::uint32_t first = first_unit(groups, group);
    if (group.tops.size() == 1 || first == kNoGroup) continue;
    const bool is_root = group.parent == kNoGroup;
    if (is_root && roots == 1) continue;
    const std::string level = group.level > 1 ? fmt::format("{}", group.level) : "";
    group.name = fmt::format("{}{}-of-{}", is_root ? "top" : "pod", is_root ? "" : level,
                             groups.units[first].name);
  }
}

Result<std::string> slurm_yaml(const std::vector<YamlTopology>& topologies,
                               std::optional<std::uint32_t> block_size,
                               std::vector<std::string>& warnings) {
  std::string text;
  for (const YamlTopology& topology : topologies) {
    text += fmt::format("- topology: \"{}\"\n  cluster_default: {}\n", topology.name,
                        &topology == &topologies.front());
    if (!topology.is_block) {
      text += yaml_tree(topology.groups);
      continue;
    }
    const auto blocks = yaml_blocks(topology.groups, block_size, warnings);
    if (!blocks)
      return fail(blocks.error().code, "topology {}: {}", topology.name, blocks.error().message);
    text += *blocks;
  }
  return text;
}

}  // namespace weft
