// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tori for the tests of torus-2QoS: the configuration of a torus, and a torus without some of its
// cables and switches, with unchanged LIDs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routing/torus_2qos/config.h"
#include "support/walks.h"

namespace weft {

/// Node GUID of the switch of a generated torus at these coordinates, which are taken modulo the
/// radix.
Guid torus_guid(const std::array<unsigned, 3>& radix, const std::array<unsigned, 3>& at);

/// The configuration of a torus or a mesh (the first word of `shape`) with a seed at each of the
/// given coordinates; dimensions of radix 1 have no links. The datelines place coordinate 0 at the
/// switches that have coordinate 0 in the generated torus.
TorusConfig torus_config(const std::string& shape, const std::array<unsigned, 3>& radix,
                         const std::vector<std::array<unsigned, 3>>& seeds);

/// The fabric without these switches, their hosts, and these cables (each named by one channel).
Fabric without(const Fabric& fabric, const std::vector<SwitchId>& switches,
               const std::vector<ChannelId>& cables = {});

}  // namespace weft
