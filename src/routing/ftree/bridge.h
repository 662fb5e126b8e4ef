// Ways between CAs that up*/down* leaves apart: those at two spines of one pod, or at cores of two
// planes, as aggregation nodes are, and hosts that hang at a spine.
//
// Any packet from one to the other has to go down and then up again somewhere, and if that may be
// anywhere, such packets close credit loops with all others. So one leaf of each part of the fabric
// is put on top of everything, then what is above it in the tree, the nearest first, and below
// these all else as it was. In this order, too, the paths of the tree go up and then down, but for
// few, and now every switch has a way up to that leaf. Columns of the tables that are up*/down*
// in this order for all switches stay; the others are made anew by it.
#pragma once

#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/ftree/levels.h"
#include "routing/ftree/tree.h"
#include "routing/options.h"

namespace weft::ftree {

/// Who must be connected with all CAs whatever it takes: aggregation nodes, and with them, where
/// the user did not say who is a compute node, all that are none.
std::vector<bool> to_be_bridged(const Fabric& fabric, const RoutingOptions& options,
                                const Census& census);

/// Connects these, by SwitchId that hold some, with all CAs of their part. Nothing is changed where
/// they are connected already. Afterwards no credit loops are possible.
void bridge(const Fabric& fabric, const Tree& tree, const std::vector<bool>& bridged,
            unsigned threads, Lfts& lfts);

}  // namespace weft::ftree
