// Indices by what CAs are sent, in place of their order: heavy receivers go up by different slots
// wherever there are enough, so that their traffic meets nowhere. The digits of an index are chosen
// level by level from the leaves on, for the heaviest CAs first: of the slots whose channels up
// stay within the least that the heaviest of them can carry, the one whose channel down to the CA's
// leaf (then pod, and so on) carries least. GUIDs decide between equals, so that it does not matter
// which port a cable is in.
//
// Source: Zahid et al., "A weighted fat-tree routing algorithm for efficient load-balancing in
// InfiniBand enterprise clusters", PDP 2015, which counts weights at the ports that its walk meets;
// here they are counted for the closed form. Cost: O(CAs * (slots of all levels)).
#pragma once

#include <cstdint>
#include <span>

#include "fabric/fabric.h"
#include "routing/ftree/order.h"
#include "routing/ftree/tree.h"

namespace weft::ftree {

/// Gives the CAs at leaves other indices. `weights` is by EndportId. Where switches of a level have
/// different numbers of parents, loads are even for the number that most have.
void index_by_weight(const Fabric& fabric, const Tree& tree, std::span<const std::uint32_t> weights,
                     Destinations& destinations);

}  // namespace weft::ftree
