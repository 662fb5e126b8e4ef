// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes of an engine that must succeed.
#pragma once

#include <string_view>

#include "routing/engine.h"

namespace weft {

/// Ends the test program if the engine refuses the fabric.
Routes routed_by(std::string_view engine, const Fabric& fabric, const RoutingOptions& options = {});

}  // namespace weft
