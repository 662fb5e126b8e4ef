// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Escape paths of a layer: a spanning tree from a central switch. Its up and down paths connect
// every pair of switches and have no cyclic dependency, so they remain available when no shorter
// path is left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"

namespace weft::nue {

/// A forest: one tree for each part of the fabric.
struct Escape {
  std::vector<std::uint32_t> up;        // by switch: the arc to the parent, kNoArc at a root
  std::vector<std::uint32_t> sequence;  // all switches, parents first

  /// By arc: is it needed to connect the destinations by the tree?
  std::vector<std::uint8_t> needed(const Arcs& arcs,
                                   std::span<const std::uint32_t> destinations) const;
};

/// By switch: how many of the shortest paths between the targets pass through it, for the switches
/// of their convex subgraph; 0 outside of it. Betweenness by Brandes' algorithm (2001), in 1/1024.
std::vector<std::uint64_t> betweenness(const Arcs& arcs, std::span<const std::uint32_t> targets);

/// All switches, the most central first; those of at least half the greatest weight before the
/// others: rooted at a leaf of a fat tree, up and down include every shortest path between hosts,
/// and a spine with an aggregation node does not count as a leaf.
std::vector<std::uint32_t> central_first(const Arcs& arcs, std::span<const std::uint32_t> weight,
                                         std::span<const std::uint64_t> centrality);

/// A tree of each part, from its first switch in `roots`, nearest switches first.
Escape breadth_first(const Arcs& arcs, std::span<const std::uint32_t> roots);

/// The same, but the next switch is the one with most links to those before it, among equals the
/// one that `preference` (by switch, a permutation) ranks first. So all switches have about as many
/// up links as down links, and few turns go down and up again: a quarter of all in a random graph,
/// where breadth first forbids a third.
Escape densest_first(const Arcs& arcs, std::span<const std::uint32_t> roots,
                     std::span<const std::uint32_t> preference);

/// The same trees from other roots: in each part from its first switch in `roots`. Paths along a
/// tree are allowed by up*/down* whatever switch is its root. The next switch is selected among the
/// neighbours of those before it as in densest_first().
Escape rerooted(const Arcs& arcs, const Escape& tree, std::span<const std::uint32_t> roots,
                std::span<const std::uint32_t> preference);

}  // namespace weft::nue
