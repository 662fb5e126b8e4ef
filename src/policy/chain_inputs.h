// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Resolves the steps of a routing chain for one fabric.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "policy/routing_inputs.h"
#include "routing/chain/chain.h"

namespace weft {

/// Returns the chain for a fabric; null if the inputs have no chain. A step for which the fabric
/// has no part gets the reason in `obstacle`. Warns of GUIDs in the files of a step that are not in
/// the fabric. `degraded`: as for resolve().
std::shared_ptr<const Chain> resolve_chain(const RoutingInputs& inputs, const Fabric& fabric,
                                           std::vector<std::string>& warnings,
                                           const std::vector<bool>* degraded);

}  // namespace weft
