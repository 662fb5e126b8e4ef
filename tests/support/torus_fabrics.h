// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tori for the tests of torus-2QoS: their configuration, and fabrics with missing cables and
// switches and unchanged LIDs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routing/torus_2qos/config.h"
#include "support/walks.h"

namespace weft {

Guid torus_guid(const std::array<unsigned, 3>& radix, const std::array<unsigned, 3>& at);

/// Seeds at the given coordinates, with datelines that place coordinate 0 as the generator does.
TorusConfig torus_config(const std::string& shape, const std::array<unsigned, 3>& radix,
                         const std::vector<std::array<unsigned, 3>>& seeds);

/// The fabric without these switches, their hosts, and these cables (each named by one channel).
Fabric without(const Fabric& fabric, const std::vector<SwitchId>& switches,
               const std::vector<ChannelId>& cables = {});

}  // namespace weft
