// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/generators/shapes.h"
#include "fabric/generators/tree.h"

namespace weft {

Result<Drawing> draw_xgft(const Parameters& parameters) {
  Tree tree;
  tree.children = parameters.list("m");
  tree.parents = parameters.list("w");
  tree.trunks = parameters.list("trunks");
  const std::size_t levels = tree.children.size();
  if (levels == 0)
    return parameters.refuse("m", "no m", "the children of each level, as in m=4x4x4");
  if (tree.parents.size() != levels)
    return parameters.refuse("w", fmt::format("w of length {}", tree.parents.size()),
                             fmt::format("length {}, the length of m", levels));
  if (tree.parents[0] != 1)
    return parameters.refuse("w", fmt::format("w with first number {}", tree.parents[0]),
                             "first number 1: a host has one port");
  if (tree.trunks.size() <= 1) {  // one number for all levels except hosts
    tree.trunks.resize(levels, tree.trunks.empty() ? 1 : tree.trunks[0]);
    tree.trunks[0] = 1;
  }
  if (tree.trunks.size() != levels || tree.trunks[0] != 1)
    return parameters.refuse(
        "trunks",
        fmt::format("trunks of length {} with first number {}", tree.trunks.size(), tree.trunks[0]),
        fmt::format("length 1, or length {} with first number 1: a host has one cable", levels));
  tree.name = [](std::size_t level, std::uint64_t n) {
    return fmt::format("level{}-{}", level, n + 1);
  };
  return draw_tree(parameters, tree, 0);
}

}  // namespace weft
