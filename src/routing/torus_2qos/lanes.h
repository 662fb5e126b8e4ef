// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Service levels and virtual lanes of torus-2QoS. The SL of a path encodes which datelines it
// crosses; SL2VL maps select the lane by these bits, the dimension of the output port and the turn.
#pragma once

#include "base/result.h"
#include "routes/path_sl.h"
#include "routes/sl2vl.h"
#include "routing/torus_2qos/torus.h"

namespace weft {

/// Number of the bit of an SL that selects the level of QoS, and of bits of a VL: turn and level.
inline constexpr unsigned kSlQosBit = 3;
inline constexpr unsigned kVlTurnBit = 1;
inline constexpr unsigned kVlQosBit = 2;

/// Lanes necessary for two levels of QoS, and lanes of host links in that case.
inline constexpr unsigned kLanesForQos = 8;
inline constexpr unsigned kHostLanesForQos = 2;

struct Lanes {
  PathSl path_sl;
  Sl2Vl sl2vl;
  unsigned vls = 1;
  unsigned vls_needed = 1;
};

/// Assigns SLs and lanes. 8 lanes allow two levels of QoS, 4 lanes one level, 2 lanes one level if
/// no switch is missing, and 1 lane a mesh without missing switches. Fails with kOutOfVls if
/// `vls_max` is too small.
Result<Lanes> assign_lanes(const Fabric& fabric, const Torus& torus, unsigned vls_max,
                           unsigned threads);

}  // namespace weft
