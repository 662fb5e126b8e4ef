// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Slurm's topology.yaml (Slurm 25.05 and later): several topologies in one file; each partition of
// the cluster selects one of them. See docs/reference/export.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/groups.h"

namespace weft {

/// One topology of the file, for a fabric or for some of its hosts.
struct YamlTopology {
  std::string name;
  bool is_block = false;  // topology/block, otherwise topology/tree
  HostGroups groups;
};

/// Names groups without a single top switch after their first unit ("pod-of-leaf-1") instead of by
/// a number, so that a change of the fabric changes no names of other groups. A single outermost
/// group keeps its name.
void name_by_first_unit(HostGroups& groups);

/// The first topology is the default of the cluster. Blocks are those of slurm_blocks(). Fails as
/// blocks_of(); the message names the topology.
Result<std::string> slurm_yaml(const std::vector<YamlTopology>& topologies,
                               std::optional<std::uint32_t> block_size,
                               std::vector<std::string>& warnings);

}  // namespace weft
