// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/turn_loads.h"

#include "routing/reweight/tree_moves.h"

namespace weft::reweight {

template <class Body>
void TurnLoads::each_turn(const HopDag& dag, std::span<const std::uint8_t> tree,
                          std::uint64_t weight, const Body& body) {
  const std::uint32_t destination = dag.destination().value();
  each_flow(arcs_, dag, tree, weight, by_switch_, [&](std::uint32_t arc, std::uint64_t flows) {
    const std::uint32_t to = arcs_.head[arc];
    if (to != destination) body(flows_[turns_.of(arc, arc_of(arcs_, tree, to))], flows);
  });
}

void TurnLoads::add(const HopDag& dag, std::span<const std::uint8_t> tree, std::uint64_t weight) {
  each_turn(dag, tree, weight, [](std::uint64_t& sum, std::uint64_t flows) { sum += flows; });
}

void TurnLoads::subtract(const HopDag& dag, std::span<const std::uint8_t> tree,
                         std::uint64_t weight) {
  each_turn(dag, tree, weight, [](std::uint64_t& sum, std::uint64_t flows) { sum -= flows; });
}

}  // namespace weft::reweight
