// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The time for which a flow occupies a channel: the unit of load if links differ in speed.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// Time of a flow, by channel. The unit is the time on the fastest link if the other times are
/// multiples of that time, or else a sixteenth of that time.
std::vector<std::uint32_t> channel_weights(const Fabric& fabric);

}  // namespace weft
