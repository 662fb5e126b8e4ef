// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/sssp.h"

#include <optional>
#include <utility>

namespace weft {

Result<Routes> route_sssp(const Fabric& fabric, const SsspOptions& options) {
  Routes routes;
  routes.engine = "sssp";
  std::optional<Lfts> before;
  routes.lfts = sssp_tables(fabric, options, &before);
  if (before && options.before_passes != nullptr) {
    *options.before_passes = routes;
    (*options.before_passes)->lfts = std::move(*before);
  }
  return routes;
}

}  // namespace weft
