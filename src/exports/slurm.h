// Slurm's topology.conf. docs/reference/export.md tells what a scheduler makes of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/groups.h"

namespace weft {

/// topology/tree: a line for each unit with its nodes, and for each group with what is in it. Each
/// name has one parent at most, so that Slurm takes it for a tree.
std::string slurm_tree(const HostGroups& groups, const std::vector<std::string>& switch_names);

/// topology/tree, switch by switch: nodes of those that have hosts, and for the others every switch
/// that they are cabled to. What site tools write of ibnetdiscover's text. Where two switches
/// without hosts are cabled to each other, or a switch has several above it, it is no tree;
/// `warnings` name the first such pair.
std::string slurm_as_cabled(const Fabric& fabric, const std::vector<Host>& hosts,
                            const std::vector<std::string>& switch_names,
                            std::vector<std::string>& warnings);

/// topology/block: a block for each unit, which must have `block_size` hosts at least; smaller ones
/// are left out as comments, and warned of. By default the size is that of the smallest unit that
/// has at least half as many hosts as the middle one. Fails with kBadInput where no unit is large
/// enough.
Result<std::string> slurm_blocks(const HostGroups& groups, std::optional<std::uint32_t> block_size,
                                 std::vector<std::string>& warnings);

}  // namespace weft
