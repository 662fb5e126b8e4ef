// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A pod is a two-level tree of k/2 leaves and as many aggregation switches as a leaf has uplinks;
// aggregation switch i of every pod is cabled to the cores i, i + aggs, i + 2 aggs, ... With an odd
// k, one port of each leaf and aggregation switch stays free.
#include "fabric/generators/shapes.h"
#include "fabric/generators/tree.h"

namespace weft {

Result<Drawing> draw_fattree3(const Parameters& parameters) {
  const unsigned k = parameters.number("k");
  const unsigned trunks = parameters.number("trunks");
  const unsigned half = k / 2;
  const auto leaf = divide_leaf(parameters, 2 * half);
  if (!leaf) return forward(leaf);
  const unsigned leaves = parameters.number_or("leaves", half);
  if (leaves > half)
    return parameters.refuse(
        "leaves", fmt::format("leaves={}", leaves),
        fmt::format("at most {}: half of the ports of an aggregation switch", half));
  if (half % trunks != 0)
    return parameters.refuse(
        "trunks", fmt::format("trunks={}", trunks),
        fmt::format("a divisor of the {} uplinks of an aggregation switch", half));
  const unsigned pods = parameters.number_or("pods", k / trunks);
  if (pods * trunks > k)
    return parameters.refuse("pods", fmt::format("{} pods by {} cables", pods, trunks),
                             fmt::format("at most {} pods: a core has {} ports", k / trunks, k));
  Tree tree{{leaf->hosts, leaves, pods}, {1, leaf->up, half / trunks}, {1, 1, trunks}, {}};
  tree.name = [](std::size_t level, std::uint64_t n) {
    return fmt::format("{}-{}", level == 1 ? "leaf" : level == 2 ? "agg" : "core", n + 1);
  };
  return draw_tree(parameters, tree, k);
}

}  // namespace weft
