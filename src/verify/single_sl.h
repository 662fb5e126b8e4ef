// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether routes are free of deadlock if all unicast traffic uses one SL, for clients that ignore
// the SL of their path record.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/lid_tally.h"

namespace weft {

/// SLs that are mapped to lanes of every link, for SL2VL maps that are the same at all ports.
std::uint16_t sls_on_links(const Routes& routes, const Common& common);

/// SLs (bit mask) that all unicast traffic may use without a credit loop or a discarded packet;
/// multicast packets keep the SL of their group. `unicast` has the dependencies on the SLs of path
/// records, those of its `cas` among its `switches` too; `multicast` those of the groups, null if
/// there are none.
std::uint16_t safe_single_sls(const Fabric& fabric, const Routes& routes, const Common& common,
                              std::span<const MulticastGroup> groups, unsigned threads,
                              const Dependencies& unicast, const Dependencies* multicast);

}  // namespace weft
