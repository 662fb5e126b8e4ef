// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The time for which a flow occupies a channel: the unit of load where cables differ in speed.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// By channel: time that a flow takes, in one unit for all: that of the fastest link if the others
/// are multiples of it, otherwise a sixteenth of it.
std::vector<std::uint32_t> channel_weights(const Fabric& fabric);

}  // namespace weft
