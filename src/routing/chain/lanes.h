// SLs and VLs of a chain. Packets between two switches that one step alone routes, both ways and
// to all LIDs, keep the lanes of that step. Those of all other pairs have one lane for a pair: a
// connection uses one SL both ways, and a reply may go to each LID of the requester. Every lane is
// kept free of cycles, and everything is put on the first lane that stays so. Steps whose VL
// changes on the path (datelines of torus-2QoS) have VLs of their own on their channels.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "routing/chain/placed.h"

namespace weft {

/// What carries all packets: SLs by source switch and LID, and the VLs that they take.
struct ChainLanes {
  unsigned vls = 1;
  bool fixed_vls = true;            // no SL changes its VL on the path
  std::vector<std::uint8_t> sl_of;  // by source switch and LID, rows from LID 0 to the top
  Sl2Vl sl2vl;
};

/// Of whole tables. `vls` may be more than the fabric has. Fails with kOutOfVls where 16 SLs are
/// too few, and with kUnroutable where the paths between two switches alone close a cycle.
Result<ChainLanes> lay_lanes(const Fabric& fabric, const PlacedSteps& steps, const Owners& owners,
                             const Lfts& lfts, bool ignore_replies);

}  // namespace weft
