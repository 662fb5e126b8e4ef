// Clients that ignore the SL of their path record: whether routes stay free of deadlock if all
// unicast traffic uses one SL.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/lid_tally.h"

namespace weft {

/// SLs that SL2VL maps which are the same at all ports put on lanes of every link.
std::uint16_t sls_on_links(const Fabric& fabric, const Routes& routes);

/// SLs, a bit for each, that all unicast traffic may use at once without a credit loop or a
/// discarded packet; multicast packets keep the SL of their group. `unicast` has the dependencies
/// of the SLs that the paths ask for, `multicast` those of the groups.
std::uint16_t safe_single_sls(const Fabric& fabric, const Routes& routes, const Common& common,
                              std::span<const MulticastGroup> groups, unsigned threads,
                              const Dependencies& unicast, const Dependencies& multicast);

}  // namespace weft
