// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths between CAs that up*/down* leaves unconnected: CAs at two spines of one pod or at cores of
// two planes, such as aggregation nodes, and hosts attached to a spine.
//
// A packet between such CAs must go down and then up again. If this turn were possible at any
// switch, these packets would close credit loops with other packets. So the switches of each part
// of the fabric are ranked again: first one leaf, then the switches above this leaf in the tree,
// the nearest first, then all other switches in their previous order. By these ranks, too, nearly
// all paths of the tree go up and then down, and every switch has an up path to that leaf. If the
// ranks leave hosts without a path, as when a root is not above that leaf, ranks are distances from
// the leaf. Table entries for a LID stay if the paths of all switches to this LID are up*/down* by
// the new ranks; otherwise the entries are recomputed.
#pragma once

#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/shapes/levels.h"
#include "routing/trees/tree.h"

namespace weft::ftree {

/// By SwitchId: true for a switch with CAs that must be connected with all CAs. These are the
/// aggregation nodes and, if no compute nodes are configured, all CAs that are no compute nodes.
std::vector<bool> find_separated(const Fabric& fabric, std::span<const EndportId> compute_nodes,
                                 const ComputeNodes& cns);

/// Connects the CAs at the switches in `separated` with all CAs of their part. Changes nothing if
/// these CAs are connected already. The resulting tables have no credit loops.
void connect_separated(const Fabric& fabric, const Tree& tree, const std::vector<bool>& separated,
                       unsigned threads, Lfts& lfts);

}  // namespace weft::ftree
