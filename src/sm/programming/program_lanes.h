// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Phases that write SL2VL and VL arbitration. A switch with optimized SL2VL gets one SMP for all
// pairs of an input and an output port. Then one pair is read back. If the SMP is refused, or the
// table of this pair differs, each pair is written separately.
#pragma once

#include <string>

#include "ib/smp.h"
#include "sm/programming/programming_state.h"

namespace weft {

/// Fills the Set of one pair, or of all pairs at once (kEveryPair).
void fill_sl2vl(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_sl2vl(Programming& programming, const PlannedOp& planned, const Smp& answer);
/// Whether the pair is known to have its map, such as after the SMP for all pairs.
bool holds_sl2vl(const Programming& programming, const PlannedOp& planned);

void read_sl2vl(Programming& programming, const PlannedOp& planned, Smp& request);
/// Records all pairs as written, or returns the message that the pair read back differs.
std::string confirm_read_back(Programming& programming, const PlannedOp& planned,
                              const Smp& answer);
/// Records that the switch refused the SMP for all pairs.
void note_refused_at_once(Programming& programming, const PlannedOp& planned);
/// Whether the switch refused the SMP for all pairs.
bool refuses_at_once(const Programming& programming, const PlannedOp& planned);

void fill_arbitration(Programming& programming, const PlannedOp& planned, Smp& request);
std::string confirm_arbitration(Programming& programming, const PlannedOp& planned,
                                const Smp& answer);

}  // namespace weft
