// Lanes of a dragonfly. Paths that go up, over, and down make no circle on one lane. Where switches
// of a group are cabled to each other, a packet takes VL 1 after it came from another group: it
// makes no circle with those that are about to leave, unless cables are missing and ways within a
// group have two hops. Then each path lies on one lane of several.
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
