// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Almost shortest paths for the further LIDs of ports, on any fabric: one set of paths for the i-th
// LIDs of all ports. In the tree of a LID some switches have a path with another first channel than
// for the port's earlier LIDs, at most one hop longer than the longest of all shortest paths; the
// other switches use shortest paths where the tree has them. Pairs of switches with the fewest such
// paths so far come first, so that with several LIDs every pair has such paths. Sources: Besta et
// al., "FatPaths: routing in supercomputers and data centers when shortest paths fall short", SC
// 2020; sets of almost minimal paths: Blach et al., NSDI 2024.
#pragma once

#include <span>

#include "fabric/fabric.h"
#include "routes/lfts.h"

namespace weft::hoplanes {

/// Replaces the entries of all LIDs of each host except the first. The entries of the first LIDs
/// must be complete. `ignored` are ports without traffic. Cost: O(LIDs * channels * hops).
void add_lid_detours(const Fabric& fabric, std::span<const EndportId> ignored, Lfts& lfts);

}  // namespace weft::hoplanes
