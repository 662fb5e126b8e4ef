// Lanes of a dragonfly. A packet takes VL 1 on cables of the group that it came to: it makes no
// circle there with those that are about to leave, which are on VL 0. SL2VL sees the two ports of a
// switch only, so that this fails where cables are missing and ways before the one between groups
// have two hops. Then each path lies on one lane of several.
#pragma once

#include <vector>

#include "base/result.h"
#include "routes/routes.h"

namespace weft::dfp {

/// Sets path_sl, sl2vl, vls and vls_needed of routes whose tables are whole, for the least lanes
/// that serve. `global`: by ChannelId, whether it leads from group to group. Fails with kOutOfVls.
Status lay_lanes(const Fabric& fabric, const std::vector<bool>& global, unsigned available,
                 unsigned threads, Routes& routes);

}  // namespace weft::dfp
