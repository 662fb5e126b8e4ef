// Where a GMP to an endport of the managed subnet goes.
#pragma once

#include "ib/gmp.h"
#include "sm/sweep_report.h"

namespace weft {

/// From the manager's port: by LID, with the SL that the routes prescribe and the default P_Key.
GmpAddress address_of(const Snapshot& snapshot, EndportId to);

/// The entry of the manager's own P_Key table that holds a P_Key of this partition; nothing: none.
std::optional<std::uint16_t> own_pkey_index(const Snapshot& snapshot, Pkey pkey);

}  // namespace weft
