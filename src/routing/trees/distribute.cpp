// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/distribute.h"

#include <array>

namespace weft::ftree {

void distribute(std::span<const Group> groups_of, std::span<const std::uint8_t> good,
                std::span<const std::uint32_t> starts, std::span<const std::uint32_t> weights,
                std::vector<std::uint8_t>& groups) {
  if (groups.empty()) return;
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
  const std::size_t hosts = groups.size() - 1;
  std::array<std::uint64_t, 256> of_group{};
  for (std::size_t i = 0; i < hosts; ++i) of_group[groups[i]] += weight(i);
  std::array<std::uint64_t, 256> taken;  // weight of LIDs, by position in `good` like `rate`
  std::array<std::uint64_t, 256> rate;
  const std::size_t count = good.size();
  for (std::size_t place = 0; place < count; ++place) {
    taken[place] = of_group[good[place]];
    rate[place] = groups_of[good[place]].rate;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] != kNoGroup) continue;
    const std::size_t start = starts[i] % count;
    std::size_t best = start;
    const auto search = [&](std::size_t begin, std::size_t end) {
      for (std::size_t place = begin; place < end; ++place)
        if (taken[place] * rate[best] < taken[best] * rate[place]) best = place;
    };
    search(start + 1, count);
    search(0, start);
    groups[i] = good[best];
    if (i < hosts) taken[best] += weight(i);
  }
}

bool choose_up(const Tree& tree, std::uint32_t sw, std::span<const std::uint8_t> good,
               std::span<const std::uint32_t> indices, std::span<const std::uint32_t> weights,
               std::uint32_t rotation, std::vector<std::uint8_t>& groups) {
  const std::uint32_t turns = tree.turns(sw);
  std::array<bool, 256> serves{};
  for (const std::uint8_t g : good) serves[g] = true;
  std::array<std::uint32_t, 256> number;  // by unusable turn: number of unusable turns before it
  std::array<std::uint8_t, 256> group;    // by index of the turn
  std::uint32_t missing = 0;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    const std::uint8_t g = tree.group_at(sw, tree.turn(sw, turn).slot);
    group[turn] = g != kNoGroup && serves[g] ? g : kNoGroup;
    number[turn] = missing;
    missing += group[turn] == kNoGroup;
  }
  const std::uint32_t divider = tree.divider(sw);
  groups.resize(indices.size());
  std::vector<std::uint32_t> starts(missing == 0 ? 0 : indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::uint32_t digits = indices[i] / divider;
    const std::uint32_t turn = digits % turns;
    groups[i] = group[turn];
    if (missing != 0) starts[i] = digits / turns * missing + number[turn] + rotation;
  }
  if (missing == 0) return false;
  distribute(tree.up(sw), good, starts, weights, groups);
  return true;
}

}  // namespace weft::ftree
