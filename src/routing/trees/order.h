// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order of compute nodes with which a fat tree has no congestion under shift permutations, and
// the index by which each LID is routed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/shapes/levels.h"
#include "routing/trees/tree.h"

namespace weft::ftree {

/// The LIDs of all endports, grouped by the switch of the endport. Column c has the LIDs at the
/// switch `switches[c]`; its entries are begin[c] to begin[c + 1] - 1: compute nodes by port number
/// (by rail if hosts have ports on several leaves, see tables/rails.h), then other CAs, then the
/// switch itself. Columns of one pod are adjacent.
struct Destinations {
  std::vector<std::uint32_t> switches;   // leaves with CNs first
  std::vector<std::uint32_t> column_of;  // by switch
  std::vector<std::uint32_t> begin;      // columns + 1
  std::vector<EndportId> endport;        // by entry, as lid, index, weight and exit
  std::vector<std::uint16_t> lid;
  std::vector<std::uint32_t> index;   // for the closed form
  std::vector<std::uint32_t> weight;  // relative receive load of the LID; empty: equal
  std::vector<std::uint8_t> exit;     // output port at the destination switch
  std::vector<EndportId> ca_order;    // CNs by index, kNoEndport for a dummy

  std::uint32_t columns() const { return static_cast<std::uint32_t>(switches.size()); }
};

/// The number of indices for each leaf: the largest number of CNs at a leaf. 0 (no padding) if more
/// than a quarter of the indices would be dummies.
std::uint32_t leaf_stride(const ComputeNodes& cns);

enum class LeafOrder : std::uint8_t {
  kById,       // by switch id, which is the order of GUIDs
  kFromRoots,  // breadth first from the first root, by port number
};

/// Orders the leaves such that the leaves of a pod are adjacent at every level; pods are in the
/// order of their first leaves, and the leaves of a pod in the order `by`. CN p of leaf number n
/// has index n * m + p with m = leaf_stride(): leaves with fewer CNs are padded with dummies, so
/// that all leaves of a rail have the same pattern. If m is 0, CNs are numbered without dummies.
/// Other CAs, and switches, are numbered separately. LID number i of a port has the index of the
/// port plus i.
Destinations order_destinations(const Fabric& fabric, const Tree& tree, const ComputeNodes& cns,
                                LeafOrder by);

}  // namespace weft::ftree
