// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Addresses of GMPs to endports of the managed subnet.
#pragma once

#include "ib/gmp.h"
#include "sm/sweep_report.h"

namespace weft {

/// Address from the manager's port: by LID, with the SL of the routes and the default P_Key.
GmpAddress address_of(const Snapshot& snapshot, EndportId to);

/// Index of a P_Key of this partition in the manager's own P_Key table; nothing if there is none.
std::optional<std::uint16_t> own_pkey_index(const Snapshot& snapshot, Pkey pkey);

}  // namespace weft
