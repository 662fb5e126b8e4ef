// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The master tree of torus-2QoS; every multicast group uses a part of it. The tree consists of the
// ring in x (or in another first dimension of the paths) through the root, a ring in y from each
// switch of that ring, and a ring in z from each switch of the rings in y. From root to leaf every
// turn follows dimension order, and in a complete ring the tree does not cross the dateline: so
// neither turns nor rings close a cycle with unicast packets. If a switch is missing, the remaining
// switches of its ring in the last dimension are attached as leaves from neighboring rings. Source:
// torus-2QoS(8), "MULTICAST ROUTING"; the tree of OpenSM passes through such a ring, which can
// close a cycle.
#pragma once

#include <optional>

#include "fabric/fabric.h"
#include "routing/multicast/tree.h"
#include "routing/torus_2qos/config.h"

namespace weft {

/// The tree over all switches with a root as near to the center as possible. If switches are
/// missing and each tree of rings closes a cycle, the tree is built breadth first, on tori of up to
/// 1,024 places. Returns nullopt if none of the roots tried has a tree over all switches that
/// closes no cycle with unicast packets, or if the fabric does not fit the shape.
std::optional<multicast::Tree> torus_multicast_tree(const Fabric& fabric,
                                                    const TorusConfig& config);

}  // namespace weft
