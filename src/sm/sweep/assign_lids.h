// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stage of a sweep: assigns LIDs to all endports and to virtual ports that require one, and logs
// the changes of the fabric since the snapshot. It sends no SMPs.
#pragma once

#include "base/result.h"
#include "fabric/fabric.h"
#include "sm/options.h"
#include "sm/subnet_memory.h"
#include "sm/sweep_report.h"

namespace weft {

/// The observed fabric with LIDs, which are also stored in `memory` and in guid2lid, as are the
/// LIDs of virtual ports. Stores the changes of the fabric in the report. Resets
/// `options.reassign_lids`. Fails with kBadInput if there are not enough LIDs.
Result<Fabric> assign_lids(SmOptions& options, SubnetMemory& memory, SweepReport& report);

}  // namespace weft
