// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths between CAs that up*/down* leaves unconnected: CAs at two spines of one pod or at cores of
// two planes, such as aggregation nodes, and hosts attached to a spine.
//
// A packet between them must go down and then up again. If such packets could do so at any switch,
// they would close credit loops with other packets. So one leaf of each part of the fabric is
// ranked above all other switches, then the switches above it in the tree, the nearest first, and
// below these all others in their previous order. In this order, too, nearly all paths of the tree
// go up and then down, and every switch has an up path to that leaf. Table entries for a LID stay
// if the paths of all switches to it are up*/down* in this order; otherwise they are recomputed.
#pragma once

#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"
#include "routing/shapes/levels.h"
#include "routing/trees/tree.h"

namespace weft::ftree {

/// By SwitchId, 1 for switches with CAs that must be connected with all CAs: aggregation nodes, and
/// if no compute nodes are configured, all CAs that are no compute nodes.
std::vector<bool> find_separated(const Fabric& fabric, std::span<const EndportId> compute_nodes,
                                 const ComputeNodes& cns);

/// Connects the CAs at these switches with all CAs of their part. Changes nothing if they are
/// connected already. Afterwards the tables have no credit loops.
void connect_separated(const Fabric& fabric, const Tree& tree, const std::vector<bool>& separated,
                       unsigned threads, Lfts& lfts);

}  // namespace weft::ftree
