// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The tables that the switches of an emulated fabric hold, in the form that the verifier and the
// diff use.
#pragma once

#include "base/result.h"
#include "emulator/emulated_fabric.h"
#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// The current tables, without entries above LinearFDBTop. `engine` is "emulated"; path SLs are not
/// stored in switches, so they are SL 0. Multicast LIDs without any port are omitted.
Routes read_routes(const EmulatedFabric& emulated);

/// The same, with the current AR groups: of each group the ports that are ACTIVE and not removed by
/// a neighbour's notification. If the default port is not among them, the first one replaces it; if
/// none is left, the default port is the only one, as packets are forwarded.
Routes read_choices(const EmulatedFabric& emulated);

/// The fabric with the current LIDs of the ports, for use with read_routes(). Fails with kBadInput
/// if two ports have the same LID.
Result<Fabric> read_fabric(const EmulatedFabric& emulated);

}  // namespace weft
