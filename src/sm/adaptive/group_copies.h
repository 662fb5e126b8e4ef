// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which blocks of the group table of a switch are written, and which groups the switch copies from
// others (ARGroupTableCopy): numbered by leaf, most groups of a switch have the same ports.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ib/adaptive.h"
#include "routes/adaptive.h"

namespace weft {

/// One SMP: groups that become copies of another.
struct GroupCopy {
  std::uint16_t source = 0;
  std::vector<ArGroupCopyBlock::Range> ranges;  // 1 to ArGroupCopyBlock::kRanges
  bool operator==(const GroupCopy&) const = default;
};

struct GroupWrites {
  std::vector<std::uint16_t> blocks;  // to write, before the copies
  std::vector<GroupCopy> copies;
  std::vector<std::uint16_t> copied;  // blocks that are as desired after all copies
};

/// `differs`: by block of the group table, whether the switch holds other content. Without
/// `may_copy`, or where copies take as many SMPs as the blocks, all of these blocks are written.
GroupWrites plan_group_writes(const ArTables& tables, SwitchId sw, const std::vector<bool>& differs,
                              bool may_copy);

/// The copy as an SMP has it: unused ranges repeat the last one, because a range of zeros could
/// stand for group 0.
ArGroupCopyBlock copy_block(const GroupCopy& copy);

}  // namespace weft
