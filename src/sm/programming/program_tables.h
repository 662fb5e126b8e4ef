// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Phases that write P_Keys, alias GUIDs, SwitchInfo and forwarding tables. A confirmed block is
// recorded in HeldTables.
#pragma once

#include <string>

#include "ib/smp.h"
#include "sm/programming/programming_state.h"

namespace weft {

void fill_pkeys(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_pkeys(Programming& programming, const PlannedOp& planned, const Smp& answer);

void fill_guids(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_guids(Programming& programming, const PlannedOp& planned, const Smp& answer);
/// Records the alias GUIDs of a block as written.
void remember_guids(Programming& programming, const PlannedOp& planned);

void fill_switch(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_switch(Programming& programming, const PlannedOp& planned, const Smp& answer);

/// Fills a block of a unicast table, or a part of it (TablePart).
void fill_table(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_table(Programming& programming, const PlannedOp& planned, const Smp& answer);

/// Fills the Set of either phase of multicast tables (mft_blocks.h).
void fill_multicast(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_multicast(Programming& programming, const PlannedOp& planned,
                              const Smp& answer);

}  // namespace weft
