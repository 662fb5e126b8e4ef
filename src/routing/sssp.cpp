// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/sssp.h"

namespace weft {

Result<Routes> route_sssp(const Fabric& fabric, const SsspOptions& options) {
  Routes routes;
  routes.engine = "sssp";
  routes.lfts = sssp_tables(fabric, options);
  return routes;
}

}  // namespace weft
