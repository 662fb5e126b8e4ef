// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DFSSSP: shortest paths balanced over the whole fabric and assigned to virtual lanes such that
// they are deadlock-free. Source: Domke, Hoefler, Nagel, "Deadlock-Free Oblivious Routing for
// Arbitrary Topologies", IPDPS 2011, and the source of sssp.h. docs/reference/engines/dfsssp.md
// lists the differences.
#pragma once

#include <optional>

#include "base/result.h"
#include "routes/routes.h"
#include "routing/shortest/sssp_tables.h"

namespace weft {

struct DfssspOptions : SsspOptions {
  unsigned vls_max = 8;
  bool ignore_replies = false;

  static DfssspOptions from(const RoutingOptions& all) {
    return {SsspOptions::from(all), all.vls_max, all.ignore_replies};
  }
};

/// Fails with kOutOfVls if the paths need more lanes than options.vls_max or than the VLs of the
/// fabric's ports.
Result<Routes> route_dfsssp(const Fabric& fabric, const DfssspOptions& options);

}  // namespace weft
