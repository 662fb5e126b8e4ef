// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Converts tables of an earlier fabric to the ids and LIDs of the current fabric.
#pragma once

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routes/shared_lfts.h"

namespace weft {

/// Switches are matched by node GUID, LIDs by the port GUID of their endport. Entries of switches
/// or LIDs that one of the fabrics does not have are kNoRoute; whether a port still has the same
/// peer is not checked.
Lfts carry_over(const Fabric& before, const Lfts& lfts, const Fabric& after);
/// Like the other carry_over(); returns the same tables if switches, endports and LIDs are
/// unchanged.
SharedLfts carry_over(const Fabric& before, const SharedLfts& lfts, const Fabric& after);

}  // namespace weft
