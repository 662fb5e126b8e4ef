// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Patterns of section 2.4 of the ORCS report that depend on the number of ranks only.
#include <bit>

#include "congestion/patterns/kinds.h"

namespace weft::patterns {
namespace {

Pattern without_levels(const PatternInput& input) {
  Pattern pattern;
  pattern.ranks = input.ranks;
  pattern.fill = [](std::uint64_t, std::vector<Flow>& flows) { flows.clear(); };
  return pattern;
}

/// Least l with 2^l >= n.
std::uint64_t log2_up(std::uint32_t n) {
  return n <= 1 ? 0 : static_cast<std::uint64_t>(std::bit_width(n - 1));
}

Pattern halves(const PatternInput& input, bool symmetric) {
  Pattern pattern;
  pattern.ranks = input.ranks;
  pattern.levels = 1;
  if (input.ranks % 2 != 0)
    pattern.notes.push_back(
        fmt::format("{} ranks: an odd number, so the last rank is idle", input.ranks));
  pattern.fill = [pairs = input.ranks / 2, symmetric](std::uint64_t, std::vector<Flow>& flows) {
    flows.clear();
    for (std::uint32_t i = 0; i < pairs; ++i) flows.push_back({2 * i + 1, 2 * i});
    for (std::uint32_t i = 0; i < pairs && symmetric; ++i) flows.push_back({2 * i, 2 * i + 1});
  };
  return pattern;
}

}  // namespace

Result<Pattern> null(const PatternInput& input) { return without_levels(input); }

Result<Pattern> bisect(const PatternInput& input) { return halves(input, false); }

Result<Pattern> bisect_symmetric(const PatternInput& input) { return halves(input, true); }

// The formula of the report has messages from i to i + 2^l for all i. In the figure of the report,
// as in a binomial tree, only ranks with the message send: i < 2^l.
Result<Pattern> tree(const PatternInput& input) {
  Pattern pattern = without_levels(input);
  pattern.levels = log2_up(input.ranks);
  pattern.fill = [n = input.ranks](std::uint64_t level, std::vector<Flow>& flows) {
    flows.clear();
    const std::uint32_t distance = 1u << level;
    for (std::uint32_t i = 0; i < distance && i < n - distance; ++i)
      flows.push_back({i, i + distance});
  };
  return pattern;
}

Result<Pattern> bruck(const PatternInput& input) {
  Pattern pattern = without_levels(input);
  pattern.levels = log2_up(input.ranks);
  pattern.fill = [n = input.ranks](std::uint64_t level, std::vector<Flow>& flows) {
    flows.clear();
    for (std::uint64_t i = 0; i < n; ++i)
      flows.push_back({static_cast<std::uint32_t>(i),
                       static_cast<std::uint32_t>((i + (std::uint64_t{1} << level)) % n)});
  };
  return pattern;
}

Result<Pattern> gather(const PatternInput& input) {
  Pattern pattern = without_levels(input);
  pattern.levels = 1;
  pattern.fill = [n = input.ranks](std::uint64_t, std::vector<Flow>& flows) {
    flows.clear();
    for (std::uint32_t i = 1; i < n; ++i) flows.push_back({i, 0});
  };
  return pattern;
}

Result<Pattern> scatter(const PatternInput& input) {
  Pattern pattern = without_levels(input);
  pattern.levels = 1;
  pattern.fill = [n = input.ranks](std::uint64_t, std::vector<Flow>& flows) {
    flows.clear();
    for (std::uint32_t i = 1; i < n; ++i) flows.push_back({0, i});
  };
  return pattern;
}

Result<Pattern> ring(const PatternInput& input) {
  Pattern pattern = without_levels(input);
  pattern.levels = input.ranks < 2 ? 0 : input.ranks;
  pattern.fill = [n = input.ranks](std::uint64_t level, std::vector<Flow>& flows) {
    const auto i = static_cast<std::uint32_t>(level);
    flows.assign({Flow{i, (i + 1) % n}});
  };
  return pattern;
}

// Exchanges within the largest power of two, and a last level that sends the result to the other
// ranks.
Result<Pattern> recursive_doubling(const PatternInput& input) {
  Pattern pattern = without_levels(input);
  if (input.ranks < 2) return pattern;
  const std::uint32_t p = std::bit_floor(input.ranks);
  const auto inside = static_cast<std::uint64_t>(std::bit_width(p) - 1);
  pattern.levels = inside + (p == input.ranks ? 0 : 1);
  pattern.fill = [n = input.ranks, p, inside](std::uint64_t level, std::vector<Flow>& flows) {
    flows.clear();
    if (level == inside) {
      for (std::uint32_t i = 0; i < n - p; ++i) flows.push_back({i, i + p});
      return;
    }
    for (std::uint32_t i = 0; i < p; ++i) flows.push_back({i, i ^ (1u << level)});
  };
  return pattern;
}

}  // namespace weft::patterns
