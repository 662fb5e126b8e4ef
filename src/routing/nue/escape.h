// Escape paths of a layer: a spanning tree from a central switch. Its up and down paths connect
// every pair of switches and depend on each other without a cycle, so they are always there when
// nothing shorter is left.
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

  /// By arc: does the tree need it to connect the destinations?
  std::vector<std::uint8_t> needed(const Arcs& arcs,
                                   std::span<const std::uint32_t> destinations) const;
};

/// How many of the shortest paths between the targets go over each switch, for the switches of
/// their convex subgraph; 0 outside of it. Betweenness by Brandes' algorithm (2001), in 1/1024.
std::vector<std::uint64_t> betweenness(const Arcs& arcs, std::span<const std::uint32_t> targets);

/// All switches, the most central first; those of at least half the greatest weight before the
/// others: rooted at a leaf of a fat tree, up and down include every shortest path between hosts,
/// and a spine that holds an aggregation node is no leaf.
std::vector<std::uint32_t> central_first(const Arcs& arcs, std::span<const std::uint32_t> weight,
                                         std::span<const std::uint64_t> centrality);

/// Of each part, from the first of its switches in `roots`: nearest to it first.
Escape breadth_first(const Arcs& arcs, std::span<const std::uint32_t> roots);

/// The same with the switch next that has the most links to those before it, and among such the one
/// that `preference` (by switch, a permutation) ranks first. So all switches have about as many
/// links up as down, and few turns are down and up again: a quarter of all in a random graph, where
/// breadth first forbids a third.
Escape densest_first(const Arcs& arcs, std::span<const std::uint32_t> roots,
                     std::span<const std::uint32_t> preference);

/// The same trees from other roots: of each part from the first of its switches in `roots`. Paths
/// along a tree are allowed by up*/down* whatever switch is its root. Of the switches next to those
/// that are in, densest_first()'s choice is the next.
Escape rerooted(const Arcs& arcs, const Escape& tree, std::span<const std::uint32_t> roots,
                std::span<const std::uint32_t> preference);

}  // namespace weft::nue
