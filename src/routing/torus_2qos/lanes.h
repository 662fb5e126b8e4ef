// Service levels and virtual lanes of torus-2QoS. The SL of a path says which datelines it crosses;
// SL2VL maps turn that, the dimension of the output and the turn taken into a lane.
#pragma once

#include "base/result.h"
#include "routes/path_sl.h"
#include "routes/sl2vl.h"
#include "routing/torus_2qos/torus.h"

namespace weft {

/// The bits of an SL above the datelines, and those of a lane.
inline constexpr unsigned kSlQosBit = 3;
inline constexpr unsigned kVlTurnBit = 1;
inline constexpr unsigned kVlQosBit = 2;

/// Lanes for two levels of QoS, and those that hosts need then.
inline constexpr unsigned kLanesForQos = 8;
inline constexpr unsigned kHostLanesForQos = 2;

struct Lanes {
  PathSl path_sl;
  Sl2Vl sl2vl;
  unsigned vls = 1;
  unsigned vls_needed = 1;
};

/// With 8 lanes two levels of QoS; with 4 one; with 2 one and no missing switch. Fails with
/// kOutOfVls where `vls_max` does not suffice.
Result<Lanes> assign_lanes(const Fabric& fabric, const Torus& torus, unsigned vls_max,
                           unsigned threads);

}  // namespace weft
