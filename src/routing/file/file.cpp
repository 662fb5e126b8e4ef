// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/file/file.h"

#include <algorithm>

#include "routing/balance/spread.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

bool has_entry(const Lfts& lfts, Lid lid) {
  for (std::uint32_t s = 0; s < lfts.switch_count(); ++s)
    if (lfts.port(SwitchId(s), lid) != kNoRoute) return true;
  return false;
}

}  // namespace

FileOptions FileOptions::from(const RoutingOptions& all) {
  return {SpreadOptions::from(all), pointer_to(all.lfts), pointer_to(all.lid_matrix)};
}

Result<Routes> route_file(const Fabric& fabric, const FileOptions& options) {
  if (!options.lfts && !options.lid_matrix)
    return fail(Code::kUnroutable, "no file with routes: give tables (-U) or a LID matrix (-M)");
  Routes routes;
  routes.engine = "file";
  if (options.lid_matrix) {
    routes.lfts = spread(
        fabric, destinations(fabric, options.order),
        [&](SwitchId to, HopDag& dag) { make_matrix_dag(fabric, *options.lid_matrix, to, dag); },
        options);
  } else {
    routes.lfts = Lfts(fabric.switch_count(), fabric.lid_top());
  }
  if (!options.lfts) return routes;
  for (unsigned value = 1; value <= fabric.lid_top().value(); ++value) {
    const Lid lid(static_cast<std::uint16_t>(value));
    if (!has_entry(*options.lfts, lid)) continue;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      routes.lfts.set(SwitchId(s), lid, options.lfts->port(SwitchId(s), lid));
  }
  return routes;
}

}  // namespace weft
