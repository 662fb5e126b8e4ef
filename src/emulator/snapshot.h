// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Converts the tables of the switches of an emulated fabric to Routes, as the verifier and the diff
// read them.
#pragma once

#include "base/result.h"
#include "emulator/emulated_fabric.h"
#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// The current tables, without entries above LinearFDBTop. `engine` is "emulated". All paths have
/// SL 0, because switches do not store SLs. Multicast LIDs without any port are omitted.
Routes read_routes(const EmulatedFabric& emulated);

/// As read_routes(), with the current AR groups, also of private tables: the ports of each group
/// that are ACTIVE and not removed by a notification of a neighbor. If the default port of an LFT
/// entry is not among them, the first port replaces it. An entry with a group without such ports is
/// static, with the default port; in a private table, its group has the default port only.
Routes read_choices(const EmulatedFabric& emulated);

/// The fabric with the current LIDs of the ports, for use with read_routes(). Fails with kBadInput
/// if two ports have the same LID.
Result<Fabric> read_fabric(const EmulatedFabric& emulated);

}  // namespace weft
