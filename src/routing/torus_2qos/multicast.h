// The master spanning tree of torus-2QoS, of which every multicast group uses a part. A ring
// through the root in x; from each of its switches one in y; from each of theirs one in z. From
// root to tip every turn is one that dimension order allows, and no ring that is whole is gone
// around past its dateline: so neither turns nor rings close a circle with unicast packets. Where a
// switch is missing, those that are left of its ring in the last dimension are leaves beside it.
// Source: torus-2QoS(8), "MULTICAST ROUTING"; it has a tree that goes through such a ring, which a
// circle can be closed with.
#pragma once

#include <optional>

#include "fabric/fabric.h"
#include "routing/multicast/tree.h"
#include "routing/torus_2qos/config.h"

namespace weft {

/// Rooted as near to the middle as a tree over all switches allows. Nothing where no root has such
/// a tree, or where the fabric does not fit the shape.
std::optional<multicast::Tree> torus_multicast_tree(const Fabric& fabric,
                                                    const TorusConfig& config);

}  // namespace weft
