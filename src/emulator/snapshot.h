// What the switches of an emulated fabric really hold, in the form that the verifier and the diff
// understand.
#pragma once

#include "base/result.h"
#include "emulator/emulated_fabric.h"
#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// The tables as they are, entries above LinearFDBTop left out. `engine` is "emulated"; path SLs
/// are not in switches, so they are SL 0. Multicast LIDs without any port are left out.
Routes read_routes(const EmulatedFabric& emulated);

/// The same, with what switches choose among at this moment: of each group the ports that are
/// ACTIVE and that no neighbour has said to lead nowhere. Where none of them is the default port,
/// the first stands for it; where none is left, the default port stands alone, as packets go.
Routes read_choices(const EmulatedFabric& emulated);

/// The fabric with the LIDs that the ports hold now: what read_routes() belongs to. Fails with
/// kBadInput when two ports hold the same LID.
Result<Fabric> read_fabric(const EmulatedFabric& emulated);

}  // namespace weft
