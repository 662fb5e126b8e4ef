// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Patterns in which every rank sends to every other rank, level by level.
#include "congestion/patterns/kinds.h"

namespace weft::patterns {

// In level l, rank i sends to rank i + l + 1. All n-1 shifts together are alltoall in its linear
// form.
Result<Pattern> shift(const PatternInput& input) {
  Pattern pattern;
  pattern.ranks = input.ranks;
  pattern.levels = input.ranks < 2 ? 0 : input.ranks - 1;
  pattern.fill = [n = input.ranks](std::uint64_t level, std::vector<Flow>& flows) {
    flows.clear();
    for (std::uint64_t i = 0; i < n; ++i)
      flows.push_back(
          {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>((i + level + 1) % n)});
  };
  return pattern;
}

// Pairwise exchange by the schedule of a round-robin tournament: in each round every rank has one
// partner, and over all rounds each other rank once. With an odd number of ranks one rank is idle
// in each round. (The circle method: in round r, i and j are partners if i + j = r modulo m; the
// rank that would be its own partner is the partner of the last rank.)
Result<Pattern> all_to_all(const PatternInput& input) {
  Pattern pattern;
  pattern.ranks = input.ranks;
  const std::uint32_t n = input.ranks;
  const std::uint32_t m = n % 2 == 0 ? n - 1 : n;
  pattern.levels = n < 2 ? 0 : m;
  pattern.fill = [n, m](std::uint64_t level, std::vector<Flow>& flows) {
    flows.clear();
    for (std::uint32_t i = 0; i < m; ++i) {
      const auto partner = static_cast<std::uint32_t>((level + m - i) % m);
      if (partner != i) {
        flows.push_back({i, partner});
      } else if (m < n) {
        flows.push_back({i, m});
        flows.push_back({m, i});
      }
    }
  };
  return pattern;
}

}  // namespace weft::patterns
