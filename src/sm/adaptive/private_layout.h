// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The place of the private forwarding tables (pLFTs) in the memory of a switch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ib/vendor/private_lfts.h"

namespace weft {

/// Largest number of forwarding tables that an engine uses.
inline constexpr unsigned kForwardingTablesMax = 4;

struct PrivateLayout {
  std::uint8_t mode = 0;                          // PrivateLftInfo::mode_in_use
  std::vector<PrivateLftDefBlock::Table> tables;  // by pLFT
};

/// The layout of this number of tables with LIDs up to `top`, by the first mode in which they fit;
/// empty if there is none.
std::optional<PrivateLayout> private_layout(const PrivateLftInfo& info, unsigned tables, Lid top);

/// The largest number of tables, at most kForwardingTablesMax, for which there is a layout; 1 if
/// there is none.
unsigned forwarding_tables_that_fit(const PrivateLftInfo& info, Lid top);

}  // namespace weft
