// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes Slurm's topology.conf. docs/reference/export.md describes how schedulers use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/groups.h"

namespace weft {

/// topology/tree: one line per unit with its nodes, one per group with its members. Each name has
/// at most one parent, as Slurm requires.
std::string slurm_tree(const HostGroups& groups, const std::vector<std::string>& switch_names);

/// topology/tree by physical switch: the nodes of switches with hosts, and for other switches all
/// switches that they are cabled to. Scripts of sites generate the same text from the text of
/// ibnetdiscover. The topology is not a tree if two switches without hosts are cabled to each
/// other, or if a switch is cabled to several switches without hosts; `warnings` gets the first
/// such pair.
std::string slurm_as_cabled(const Fabric& fabric, const std::vector<Host>& hosts,
                            const std::vector<std::string>& switch_names,
                            std::vector<std::string>& warnings);

/// topology/block: one block per unit; units that are too small are written as comments. Fails as
/// blocks_of().
Result<std::string> slurm_blocks(const HostGroups& groups, std::optional<std::uint32_t> block_size,
                                 std::vector<std::string>& warnings);

}  // namespace weft
