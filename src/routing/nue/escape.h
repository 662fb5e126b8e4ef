// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Escape paths of a layer: a spanning tree from a central switch. Its up and down paths connect
// every pair of switches and have no cyclic dependency, so they are available if no shorter path is
// allowed.
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

  /// By arc: 1 if the tree needs the arc to connect the destinations.
  std::vector<std::uint8_t> needed(const Arcs& arcs,
                                   std::span<const std::uint32_t> destinations) const;
};

/// By switch: the sum, over all ordered pairs of targets, of the share of the shortest paths of the
/// pair that pass through the switch, in units of 1/1024 (betweenness by Brandes' algorithm, 2001).
std::vector<std::uint64_t> betweenness(const Arcs& arcs, std::span<const std::uint32_t> targets);

/// All switches, the most central first. Switches with at least half of the greatest weight come
/// first, because up*/down* from a leaf of a fat tree includes every shortest path between hosts. A
/// spine with an aggregation node has less than half of the greatest weight.
std::vector<std::uint32_t> central_first(const Arcs& arcs, std::span<const std::uint32_t> weight,
                                         std::span<const std::uint64_t> centrality);

/// A tree of each part, from its first switch in `roots`, nearest switches first.
Escape breadth_first(const Arcs& arcs, std::span<const std::uint32_t> roots);

/// As breadth_first(), but the next switch is the switch with most links to the switches before it.
/// Among switches with equally many links, `preference` (by switch, a permutation) selects the
/// first. So all switches have about as many up links as down links, and up*/down* forbids fewer
/// turns: a quarter of all turns in a random graph, against a third with breadth_first().
Escape densest_first(const Arcs& arcs, std::span<const std::uint32_t> roots,
                     std::span<const std::uint32_t> preference);

/// The trees of `tree`, each rooted at the first switch of its part in `roots`. Up*/down* allows
/// the paths along a tree whichever switch is its root. The next switch is selected as in
/// densest_first(), among the neighbors in the tree of the switches before it.
Escape rerooted(const Arcs& arcs, const Escape& tree, std::span<const std::uint32_t> roots,
                std::span<const std::uint32_t> preference);

}  // namespace weft::nue
