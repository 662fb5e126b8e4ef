// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which blocks of the group table of a switch are written, and which groups the switch copies from
// other groups of its table (ARGroupTableCopy). With one group number per leaf, most groups of a
// switch have the same ports.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ib/adaptive.h"
#include "routes/adaptive.h"

namespace weft {

/// One SMP: a list of ranges of groups that become copies of another group.
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

/// `differs`: by block of the group table, whether the content at the switch differs. Without
/// `may_copy`, or if the copies need as many SMPs as the blocks, all blocks that differ are
/// written.
GroupWrites plan_group_writes(const ArTables& tables, SwitchId sw, const std::vector<bool>& differs,
                              bool may_copy);

/// The payload of the SMP: unused ranges repeat the last range, because a range of zeros could
/// denote group 0.
ArGroupCopyBlock copy_block(const GroupCopy& copy);

}  // namespace weft
