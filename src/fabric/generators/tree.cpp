// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/generators/tree.h"

#include <algorithm>

namespace weft {
namespace {

/// Switches of a level: number of subtrees, and number of parallel roots of each.
struct Level {
  std::uint64_t subtrees = 0;
  std::uint64_t roots = 0;
  std::uint64_t count() const { return product({subtrees, roots}); }
};

std::vector<Level> levels(const Tree& tree) {
  std::vector<Level> result;
  for (std::size_t i = 1; i <= tree.children.size(); ++i)
    result.push_back(
        {product(std::span(tree.children).subspan(i)), product(std::span(tree.parents).first(i))});
  return result;
}

DrawingSize size_of(const Tree& tree) {
  DrawingSize size;
  size.hosts = product(tree.children);
  for (const Level& level : levels(tree)) size.switches += level.count();
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    std::uint64_t ports = product({tree.children[i], tree.trunks[i]});
    if (i + 1 < tree.children.size()) ports += product({tree.parents[i + 1], tree.trunks[i + 1]});
    size.ports = std::max(size.ports, ports);
  }
  return size;
}

}  // namespace

Result<Drawing> draw_tree(const Parameters& parameters, const Tree& tree, unsigned model_ports) {
  auto drawing = Drawing::start(parameters, size_of(tree), model_ports);
  if (!drawing) return drawing;
  const std::vector<Level> level = levels(tree);
  std::vector<Drawing::Switch> first;  // first switch of each level
  for (std::size_t i = 0; i < level.size(); ++i) {
    first.push_back(drawing->switch_count());
    for (std::uint64_t n = 0; n < level[i].count(); ++n) drawing->add_switch(tree.name(i + 1, n));
  }
  for (std::uint32_t leaf = 0; leaf < level[0].count(); ++leaf)
    drawing->add_hosts(leaf, tree.children[0]);
  for (std::size_t i = 0; i + 1 < level.size(); ++i)
    for (std::uint64_t n = 0; n < level[i].count(); ++n) {
      const std::uint64_t subtree = n / level[i].roots / tree.children[i + 1];
      const std::uint64_t root = n % level[i].roots;
      for (unsigned up = 0; up < tree.parents[i + 1]; ++up) {
        const std::uint64_t parent = subtree * level[i + 1].roots + up * level[i].roots + root;
        drawing->cable(first[i] + static_cast<Drawing::Switch>(n),
                       first[i + 1] + static_cast<Drawing::Switch>(parent), tree.trunks[i + 1]);
      }
    }
  return drawing;
}

Result<LeafPorts> divide_leaf(const Parameters& parameters, unsigned k) {
  if (parameters.given("hosts") && parameters.given("blocking"))
    return parameters.refuse("blocking", "both hosts and blocking", "one of them");
  const unsigned half_up = k - k / 2;
  LeafPorts leaf{k / 2, half_up};
  if (parameters.given("hosts")) {
    leaf.hosts = parameters.number("hosts");
    if (leaf.hosts >= k)
      return parameters.refuse("hosts", fmt::format("hosts={}", leaf.hosts),
                               fmt::format("less than the {} ports of a leaf", k));
    leaf.up = std::min(k - leaf.hosts, half_up);
  } else if (parameters.given("blocking")) {
    const Ratio ratio = parameters.ratio("blocking");
    leaf.up = k * ratio.below / (ratio.above + ratio.below);
    leaf.hosts = std::min(k - leaf.up, leaf.up * ratio.above / ratio.below);
    if (leaf.up == 0 || leaf.hosts == 0)
      return parameters.refuse(
          "blocking", fmt::format("blocking={}:{}", ratio.above, ratio.below),
          fmt::format("a ratio that divides {} ports into at least one host and one uplink", k));
  }
  return leaf;
}

}  // namespace weft
