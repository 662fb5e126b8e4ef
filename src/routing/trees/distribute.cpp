// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/distribute.h"

#include <array>

namespace weft::ftree {

void distribute(std::span<const Group> groups_of, std::span<const std::uint8_t> good,
                std::span<const std::uint32_t> starts, std::span<const std::uint32_t> weights,
                std::vector<std::uint8_t>& groups) {
  if (groups.empty()) return;
  std::array<std::uint64_t, 256> taken{};
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
  const std::size_t hosts = groups.size() - 1;
  for (std::size_t i = 0; i < hosts; ++i) taken[groups[i]] += weight(i);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] != kNoGroup) continue;
    const std::size_t start = starts[i] % good.size();
    std::uint8_t best = good[start];
    for (std::size_t step = 1; step < good.size(); ++step) {
      const std::size_t place = start + step;
      const std::uint8_t g = good[place < good.size() ? place : place - good.size()];
      if (taken[g] * groups_of[best].cables < taken[best] * groups_of[g].cables) best = g;
    }
    groups[i] = best;
    if (i < hosts) taken[best] += weight(i);
  }
}

bool choose_up(const Tree& tree, std::uint32_t sw, std::span<const std::uint8_t> good,
               std::span<const std::uint32_t> indices, std::span<const std::uint32_t> weights,
               std::uint32_t rotation, std::vector<std::uint8_t>& groups) {
  const std::uint32_t turns = tree.turns(sw);
  std::array<bool, 256> serves{};
  for (const std::uint8_t g : good) serves[g] = true;
  std::array<std::uint32_t, 256> number;  // by unusable turn: number of unusable ones before it
  std::array<std::uint8_t, 256> group;    // by turn
  std::uint32_t missing = 0;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    const std::uint8_t g = tree.group_at(sw, tree.turn(sw, turn).slot);
    group[turn] = g != kNoGroup && serves[g] ? g : kNoGroup;
    number[turn] = missing;
    missing += group[turn] == kNoGroup;
  }
  const std::uint32_t divider = tree.divider(sw);
  groups.resize(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) groups[i] = group[indices[i] / divider % turns];
  if (missing == 0) return false;
  std::vector<std::uint32_t> starts(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint32_t digits = indices[i] / divider;
    starts[i] = digits / turns * missing + number[digits % turns] + rotation;
  }
  distribute(tree.up(sw), good, starts, weights, groups);
  return true;
}

}  // namespace weft::ftree
