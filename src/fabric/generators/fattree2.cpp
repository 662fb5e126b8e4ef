// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two levels: leaves with hosts, and one cable or several parallel cables from each leaf to each
// spine.
#include <algorithm>

#include "fabric/generators/shapes.h"
#include "fabric/generators/tree.h"

namespace weft {

Result<Drawing> draw_fattree2(const Parameters& parameters) {
  const unsigned k = parameters.number("k");
  const unsigned trunks = parameters.number("trunks");
  if (parameters.given("spines") && parameters.given("blocking"))
    return parameters.refuse("blocking", "both spines and blocking", "one of them");
  auto leaf = divide_leaf(parameters, k);
  if (!leaf) return forward(leaf);
  const unsigned spines = parameters.number_or("spines", leaf->up / trunks);
  if (spines == 0)
    return parameters.refuse("trunks", fmt::format("trunks={}", trunks),
                             fmt::format("at most the {} uplinks of a leaf", leaf->up));
  const unsigned up = spines * trunks;
  if (parameters.given("spines") && !parameters.given("hosts"))
    leaf->hosts = std::min(leaf->hosts, k - std::min(k, up));
  if (parameters.given("blocking")) {  // uplinks beyond a multiple of the trunks stay unconnected
    const Ratio ratio = parameters.ratio("blocking");
    leaf->hosts = std::min(leaf->hosts, up * ratio.above / ratio.below);
  }
  if (leaf->hosts == 0 || leaf->hosts + up > k)
    return parameters.refuse("spines",
                             fmt::format("a leaf with {} hosts and {} uplinks", leaf->hosts, up),
                             fmt::format("at least a host, and at most {} ports", k));
  const unsigned leaves = parameters.number_or("leaves", k / trunks);
  if (leaves * trunks > k)
    return parameters.refuse("leaves", fmt::format("{} leaves by {} cables", leaves, trunks),
                             fmt::format("at most the {} ports of a spine", k));
  Tree tree{{leaf->hosts, leaves}, {1, spines}, {1, trunks}, {}};
  tree.name = [](std::size_t level, std::uint64_t n) {
    return fmt::format("{}-{}", level == 1 ? "leaf" : "spine", n + 1);
  };
  return draw_tree(parameters, tree, k);
}

}  // namespace weft
