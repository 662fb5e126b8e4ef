// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The steps of a routing chain on one fabric.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "policy/routing_inputs.h"
#include "routing/chain/chain.h"

namespace weft {

/// Null where the inputs have no chain. Warns of GUIDs in a step's own files that the fabric does
/// not have. `throttled` as for resolve().
std::shared_ptr<const Chain> resolve_chain(const RoutingInputs& inputs, const Fabric& fabric,
                                           std::vector<std::string>& warnings,
                                           const std::vector<bool>* throttled);

}  // namespace weft
