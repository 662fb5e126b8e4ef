// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The master spanning tree of torus-2QoS, of which every multicast group uses a part. A ring
// through the root in x; from each of its switches one in y; from each of theirs one in z. From
// root to leaf every turn follows dimension order, and no complete ring is followed past its
// dateline: so neither turns nor rings close a cycle with unicast packets. Where a switch is
// missing, the remaining switches of its ring in the last dimension are attached as leaves from
// neighbouring rings. Source: torus-2QoS(8), "MULTICAST ROUTING"; its tree passes through such a
// ring, which can close a cycle.
#pragma once

#include <optional>

#include "fabric/fabric.h"
#include "routing/multicast/tree.h"
#include "routing/torus_2qos/config.h"

namespace weft {

/// Rooted as near to the centre as possible for a tree over all switches. Empty where no root has
/// such a tree, or where the fabric does not fit the shape.
std::optional<multicast::Tree> torus_multicast_tree(const Fabric& fabric,
                                                    const TorusConfig& config);

}  // namespace weft
