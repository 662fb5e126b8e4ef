// The order of compute nodes that makes a fat tree free of congestion under shift permutations, and
// the index that each LID is routed by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routing/ftree/levels.h"
#include "routing/ftree/tree.h"

namespace weft::ftree {

/// The LIDs of all endports that packets can leave the switches for, by the switch that holds them.
/// Column c stands for the switch `switches[c]`; its entries are begin[c] to begin[c + 1]: compute
/// nodes by port number, then other CAs, then the switch itself. Columns of one pod are neighbours.
struct Destinations {
  std::vector<std::uint32_t> switches;   // leaves with CNs first
  std::vector<std::uint32_t> column_of;  // by switch
  std::vector<std::uint32_t> begin;      // columns + 1
  std::vector<EndportId> endport;        // by entry, like the following
  std::vector<std::uint16_t> lid;
  std::vector<std::uint32_t> index;   // of the closed form
  std::vector<std::uint32_t> weight;  // what the LID is sent, or empty: all the same
  std::vector<std::uint8_t> exit;     // port that leads out of the holding switch
  std::vector<EndportId> ca_order;    // CNs by index, kNoEndport for a dummy

  std::uint32_t columns() const { return static_cast<std::uint32_t>(switches.size()); }
};

/// What the index of a leaf's first CN is a multiple of: the most CNs of any leaf, or 0 where more
/// than a quarter of the indices would then be dummies, which is: leaves differ much.
std::uint32_t leaf_stride(const Census& census);

enum class LeafOrder : std::uint8_t {
  kById,       // of switches, that is: by GUID
  kFromRoots,  // as they are met from the first root on, going down by the numbers of ports
};

/// Leaves in order of pod (at every level), then as `by` says; pods in the order of their first
/// leaves. CN p of leaf number n has index n * m + p,
/// where m is the most CNs of a leaf: leaves with fewer are filled up with dummies, so that the
/// pattern of a leaf is the same everywhere. Where more than a quarter would be dummies there are
/// none. Other CAs, and switches, are numbered among themselves. LID number i of a port has its
/// index plus i.
Destinations order_destinations(const Fabric& fabric, const Tree& tree, const Census& census,
                                LeafOrder by);

}  // namespace weft::ftree
