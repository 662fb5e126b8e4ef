// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Addresses of GMPs to endports of the managed subnet, and the snapshots after which the devices
// are checked again.
#pragma once

#include "ib/gmp.h"
#include "sm/sweep_report.h"

namespace weft {

/// Address for packets to an endport from the manager's port in the same plane: this port, LID, SL
/// of the routes (0 if the routes prescribe no SLs), and index of the default P_Key (0 if
/// own_pkey_index() has none).
GmpAddress address_of(const Snapshot& snapshot, EndportId to);

/// Lowest index of a P_Key of the partition of `pkey`, full or limited, in the P_Key table of
/// `own`, an endport of the manager. None if the table has no such P_Key, or if the manager does
/// not program the table.
std::optional<std::uint16_t> own_pkey_index(const Snapshot& snapshot, EndportId own, Pkey pkey);

/// Whether `after` is of another sweep than `before`, or has another index of the default P_Key at
/// a port of the manager, so that all devices are to be checked again. An update between sweeps,
/// such as that of multicast trees, publishes a snapshot with the number of the last sweep. Either
/// may be null; true if exactly one is null.
bool begins_round(const Snapshot* before, const Snapshot* after);

}  // namespace weft
