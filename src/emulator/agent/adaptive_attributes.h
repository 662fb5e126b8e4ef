// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Attributes of adaptive routing, as far as the behavior of switches with adaptive routing is
// known. mad_status.h describes what a serve_ function does.
#pragma once

#include "emulator/agent/mad_status.h"
#include "emulator/model.h"
#include "emulator/notifications.h"

namespace weft::emulator {

/// Whether the node is a switch that supports these attributes.
bool supports_adaptive(const Model& model, Place at);

/// True if the switch sends no response to this attribute (AdaptiveSwitches::kIgnored).
bool ignores_adaptive_routing(const Model& model, const Smp& smp, Place at);

/// Serves all attributes of adaptive routing and of FRN; other attributes are unsupported. A Set of
/// AdaptiveRoutingInfo resets the FRN state of the switch.
MadStatus serve_adaptive_routing(Model& model, Notifications& notifications, Smp& smp, Place at);

}  // namespace weft::emulator
