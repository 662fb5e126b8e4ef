// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Flows by turn, that is, by two consecutive arcs. If paths that share an arc also share the next
// arc, each of these paths shares arcs with fewer other paths. So the effective bisection bandwidth
// is higher at equal loads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/reweight/arcs.h"
#include "routing/shapes/hop_dag.h"

namespace weft::reweight {

class TurnLoads {
 public:
  /// Keeps a reference to the arcs.
  explicit TurnLoads(const Arcs& arcs) : arcs_(arcs), turns_(arcs), flows_(turns_.count(), 0) {}

  /// The flows of a turn. `out` must leave the switch at the head of `in`.
  std::uint64_t of(std::uint32_t in, std::uint32_t out) const {
    return flows_.data()[turns_.of(in, out)];
  }
  /// Adds the flows of all hosts along the tree, `weight` each. `tree` must have a step at each
  /// member of the DAG.
  void add(const HopDag& dag, std::span<const std::uint8_t> tree, std::uint64_t weight);
  /// Subtracts the flows of a tree that was added before.
  void subtract(const HopDag& dag, std::span<const std::uint8_t> tree, std::uint64_t weight);

 private:
  template <class Body>
  void each_turn(const HopDag& dag, std::span<const std::uint8_t> tree, std::uint64_t weight,
                 const Body& body);

  const Arcs& arcs_;
  const ArcTurns turns_;
  std::vector<std::uint64_t> flows_;      // by turn
  std::vector<std::uint64_t> by_switch_;  // scratch
};

}  // namespace weft::reweight
