// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The channel dependencies of all unicast paths, and of multicast trees, on a torus with missing
// switches. If one switch is missing, or several switches that are neighbors in the last
// dimension, the geometry of the detours excludes cycles of unicast packets; for any other set of
// missing switches a search for cycles is necessary. Parallel cables count as one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "routing/torus_2qos/torus.h"

namespace weft {

class TorusDependencies {
 public:
  explicit TorusDependencies(const Torus& torus);

  /// Adds the path of every pair of switches. Returns false if a path does not end at its
  /// destination; then `from` and `to` are the ends of this path. Cost: O(switches^2 * hops).
  bool add_all_paths(Place& from, Place& to);

  /// A cable of a tree: from the parent to one of its children.
  struct Branch {
    Place parent;
    unsigned dimension;
    Direction direction;
  };
  /// Adds the dependencies of packets on SL 0 from any switch of the tree to all others.
  void add_tree(std::span<const Branch> tree);

  bool is_acyclic() const;

 private:
  struct Held {
    Place place;
    unsigned output;
  };
  void add(Held held, unsigned requested);
  template <class Body>
  void each_requested(std::size_t held, const Body& body) const;

  const Torus& torus_;
  std::vector<std::uint32_t> requested_;  // by place and output, a bit per output at the next place
};

/// Replaces the torus by the same torus with the first order of dimensions for which unicast
/// packets cannot deadlock: the order of the configuration, then the other orders. The SL of each
/// pair of switches is the same for all orders. Fails with kUnroutable, with the reason for the
/// order of the configuration, if there is no such order.
Status select_order(const Fabric& fabric, const TorusConfig& config, Torus& torus);

}  // namespace weft
