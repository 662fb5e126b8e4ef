// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The attributes of the private forwarding tables (pLFTs) of a switch for given routes, block by
// block: their definitions, maps, the selection by input port and SL, and their entries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routes/routes.h"
#include "sm/adaptive/ar_memory.h"
#include "sm/adaptive/private_layout.h"

namespace weft {

/// Whether a step writes an attribute of pLFTs.
bool is_of_private_tables(ArStep step);

/// The layout of the pLFTs that the routes use at a switch; empty if they use none, or if the
/// switch does not support them.
std::optional<PrivateLayout> wanted_layout(const Routes& routes, SwitchId sw, const ArHeld& held);

/// The blocks of a step, for a switch with this number of ports.
std::vector<std::uint16_t> private_blocks(const ArTables& tables, std::uint8_t port_count,
                                          ArStep step);
SmpData private_block(const Routes& routes, SwitchId sw, const PrivateLayout& layout, ArStep step,
                      std::uint16_t block);

std::uint32_t private_modifier(ArStep step, std::uint16_t block);

/// The content of a block that was read from a switch, in the form in which the manager writes it.
/// Only PrivateLFTMap, in which a Set has flags for its fields, differs.
SmpData as_written(ArStep step, const SmpData& read);

/// PrivateLFTInfo that uses a mode; 0: none.
SmpData private_mode(const ArHeld& held, std::uint8_t mode);

/// Number of forwarding tables that each switch can have for LIDs up to `lid_top`, by SwitchId; 1:
/// no private tables.
std::vector<std::uint8_t> forwarding_tables(const Fabric& fabric, const ArMemory& known,
                                            Lid lid_top);

}  // namespace weft
