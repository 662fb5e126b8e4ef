// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SLs and VLs of a chain. If one step routes all packets between two switches, in both directions
// and to all LIDs, these packets use the lanes of that step. Every other pair has one lane, because
// a connection uses one SL in both directions, and a reply may be sent to each LID of the
// requester. The paths of a pair are put on the first lane that stays free of cycles. Steps that
// change the VL on the path (datelines of torus-2QoS) use separate VLs on their channels.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "routing/chain/placed.h"

namespace weft {

/// SLs by source switch and LID, and the VLs of these SLs.
struct ChainLanes {
  unsigned vls = 1;
  bool fixed_vls = true;            // no packet changes the VL on the path
  std::vector<std::uint8_t> sl_of;  // by source switch and LID, rows from LID 0 to the top
  Sl2Vl sl2vl;
};

/// Assigns lanes to complete tables. `vls` of the result may exceed the VLs of the fabric. Fails
/// with kOutOfVls if 16 SLs or LaneStack::kLanesMax lanes are too few, and with kUnroutable if the
/// paths of one pair of switches alone contain a cycle. With `ignore_replies`, the two directions
/// of a pair may have different lanes.
Result<ChainLanes> assign_lanes(const Fabric& fabric, const PlacedSteps& steps,
                                const Owners& owners, const Lfts& lfts, bool ignore_replies);

}  // namespace weft
