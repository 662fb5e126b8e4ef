// SLs and VLs of a chain. Each step is given VLs of its own, the same as others with whom it shares
// no switch. A packet keeps its SL on the way, so an SL stands for what a packet needs of all steps
// that it meets: the step's own SL in each. SL2VL then makes of it, at each switch, the VL of the
// last of these steps that the switch is a part of. Since packets meet steps in order, no circle
// leads through the VLs of two of them.
#pragma once

#include <vector>

#include "base/result.h"
#include "routing/chain/placed.h"

namespace weft {

struct ChainVls {
  std::vector<unsigned> first;  // by place in PlacedSteps: its VL 0
  unsigned used = 1;            // VLs in all
  unsigned needed = 1;          // if each step took only what it needs
};
ChainVls deal_vls(const PlacedSteps& steps);

/// Sets path_sl, sl2vl, vls and vls_needed of routes whose tables are whole. Fails with kOutOfVls
/// where 16 SLs are too few.
Status lay_lanes(const Fabric& fabric, const PlacedSteps& steps, const Owners& owners,
                 const ChainVls& vls, Routes& routes);

}  // namespace weft
