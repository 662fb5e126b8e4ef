// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The content of the AR tables of a switch for given routes, block by block. At a switch with FRN,
// the number of a group is that of its leaf (routes/group_numbers.h). At other switches, each
// distinct group has a number; the groups of private tables (private_blocks.h) have the numbers
// after those of table 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ib/smp.h"
#include "routes/routes.h"
#include "sm/adaptive/ar_memory.h"

namespace weft {

/// The number of sub-groups of each group of a switch: 2 if groups are divided, otherwise 1.
unsigned sub_groups_at(const ArTables& tables, SwitchId sw);
/// Whether the groups of a switch have the numbers of their leaves, the same at all such switches.
bool is_numbered_by_leaf(const ArTables& tables, SwitchId sw);
/// The highest group number in use at a switch.
std::uint16_t group_top(const ArTables& tables, SwitchId sw);
/// The group with this number; null if the group is empty.
const PortMask* numbered_group(const ArTables& tables, SwitchId sw, std::uint16_t number);

/// Number of blocks of a table that the routes use at a switch.
std::size_t ar_blocks(const ArTables& tables, SwitchId sw, ArStep table);
/// Content of a block of the AR forwarding table of a pLFT.
SmpData ar_entry_block(const Routes& routes, SwitchId sw, unsigned table, std::size_t block);
/// Content of a block of this table.
SmpData ar_block(const Routes& routes, SwitchId sw, ArStep table, std::size_t block);

/// The name and the attribute of a table, and the attribute modifier of a block.
std::string_view ar_table_name(ArStep table);
AttributeId ar_attribute(ArStep table);
std::uint32_t ar_modifier(ArStep table, std::uint16_t block);
/// Digest of the content of a block; never 0.
std::uint64_t ar_digest(const SmpData& data);

}  // namespace weft
