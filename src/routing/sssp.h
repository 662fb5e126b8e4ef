// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SSSP: shortest paths, balanced by the number of paths over each channel of the whole fabric. Can
// deadlock if the fabric has rings. Source: Hoefler, Schneider, Lumsdaine, "Optimized Routing for
// Large-Scale InfiniBand Networks", HOTI 2009.
#pragma once

#include "base/result.h"
#include "routes/routes.h"
#include "routing/shortest/sssp_tables.h"

namespace weft {

/// Never fails: the connected parts of a fabric are routed separately.
Result<Routes> route_sssp(const Fabric& fabric, const SsspOptions& options);

}  // namespace weft
