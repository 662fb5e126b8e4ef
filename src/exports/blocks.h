// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The blocks of Slurm's topology/block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/groups.h"

namespace weft {

struct HostBlocks {
  std::vector<std::size_t> sizes;  // of blocks and aggregated blocks, each twice the previous one
  std::vector<const HostUnit*> blocks;     // one for each unit that is large enough
  std::vector<const HostUnit*> too_small;  // units without a block
};

/// Each block has at least `block_size` hosts. The default is the size of the smallest unit with at
/// least half as many hosts as the median unit. Adds a warning for units that are left out. Fails
/// with kBadInput if no unit is large enough.
Result<HostBlocks> blocks_of(const HostGroups& groups, std::optional<std::uint32_t> block_size,
                             std::vector<std::string>& warnings);

}  // namespace weft
