// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plan of writes to the group table of a switch: blocks to write, and groups that the switch
// copies from other groups of the table (ARGroupTableCopy). Copies save SMPs with a group number
// for each leaf, because then most groups of a switch have the same ports.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ib/adaptive.h"
#include "routes/adaptive.h"

namespace weft {

/// The content of a copy SMP: ranges of groups that become copies of another group.
struct GroupCopy {
  std::uint16_t source = 0;
  std::vector<ArGroupCopyBlock::Range> ranges;  // 1 to ArGroupCopyBlock::kRanges
  bool operator==(const GroupCopy&) const = default;
};

struct GroupWrites {
  std::vector<std::uint16_t> blocks;  // blocks to write, before the copies
  std::vector<GroupCopy> copies;
  std::vector<std::uint16_t> copied;  // blocks that have the desired content after all copies
};

/// The writes to the group table of a switch. `differs`: by block of the group table, whether the
/// content at the switch differs. Without `may_copy`, or if copies need at least as many SMPs as
/// the blocks that they replace, all blocks that differ are written.
GroupWrites plan_group_writes(const ArTables& tables, SwitchId sw, const std::vector<bool>& differs,
                              bool may_copy);

/// The payload of the SMP. Unused ranges repeat the last range, because a range of zeros could mean
/// group 0.
ArGroupCopyBlock copy_block(const GroupCopy& copy);

}  // namespace weft
