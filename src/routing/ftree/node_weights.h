// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Assigns indices by the receive load of CAs instead of by their order. CAs with a high load use
// different up slots as long as there are enough slots, so that their traffic shares no cable. The
// digits of an index are selected level by level from the leaves up, for CAs with the highest load
// first. Candidates are the slots with an up channel that stays within the least possible load of
// the most loaded slot. Among these the slot with the least loaded down channel to the leaf of the
// CA (then to its pod, and so on) is selected. Ties are broken by GUID, so port numbers have no
// effect.
//
// Source: Zahid et al., "A weighted fat-tree routing algorithm for efficient load-balancing in
// InfiniBand enterprise clusters", PDP 2015, which counts weights at the ports along its traversal;
// here weights are counted for the closed form. Cost: O(CAs * (slots of all levels)).
#pragma once

#include <cstdint>
#include <span>

#include "fabric/fabric.h"
#include "routing/trees/order.h"
#include "routing/trees/tree.h"

namespace weft::ftree {

/// Assigns new indices to the CAs at leaves, and sets destinations.weight. `weights` is by
/// EndportId. If switches of a level have different numbers of parents, loads are even for the most
/// frequent number.
void index_by_weight(const Fabric& fabric, const Tree& tree, std::span<const std::uint32_t> weights,
                     Destinations& destinations);

}  // namespace weft::ftree
