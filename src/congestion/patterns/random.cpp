// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Patterns drawn once for all runs: runs differ in the mapping only.
#include <algorithm>
#include <memory>
#include <numeric>

#include "base/text.h"
#include "congestion/patterns/kinds.h"

namespace weft::patterns {
namespace {

Pattern one_level(const PatternInput& input, std::vector<Flow> flows) {
  return pattern_of_levels({}, input.ranks, {std::move(flows)});
}

/// The argument as a number in [least, most]; without an argument `preset`, at most `most`.
Result<std::uint32_t> count(const PatternInput& input, std::uint32_t preset, std::uint32_t least,
                            std::uint32_t most) {
  if (input.argument.empty()) return std::min(preset, most);
  const auto value = parse_number<std::uint32_t>(input.argument);
  if (!value || *value < least || *value > most)
    return fail(Code::kUsage,
                "found {} behind the colon, expected a number from {} to {} with {} ranks",
                quoted(input.argument), least, most, input.ranks);
  return *value;
}

}  // namespace

// Each sender, in order, sends to one of the remaining receivers, but not to itself; if the last
// sender is the only remaining receiver, it swaps receivers with an earlier sender.
Result<Pattern> random_permutation(const PatternInput& input) {
  const std::uint32_t n = input.ranks;
  if (n < 2) return one_level(input, {});
  Rng rng = input.rng;
  std::vector<std::uint32_t> left(n);
  std::iota(left.begin(), left.end(), 0u);
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint64_t pick = rng.below(left.size());
    while (left[pick] == i && left.size() > 1) pick = rng.below(left.size());
    flows.push_back({i, left[pick]});
    left[pick] = left.back();
    left.pop_back();
  }
  if (flows.back().to == n - 1) std::swap(flows.back().to, flows[rng.below(n - 1)].to);
  return one_level(input, std::move(flows));
}

Result<Pattern> receivers(const PatternInput& input) {
  const auto wanted = count(input, 1, 1, std::max(1u, input.ranks / 2));
  if (!wanted) return forward(wanted);
  if (input.ranks < 2) return one_level(input, {});
  Rng rng = input.rng;
  std::vector<std::uint32_t> senders(input.ranks - *wanted);
  std::iota(senders.begin(), senders.end(), *wanted);
  rng.shuffle(std::span(senders));
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < senders.size(); ++i) flows.push_back({senders[i], i % *wanted});
  return one_level(input, std::move(flows));
}

// Each rank sends messages of 1 to 16 units to 0 to 2K other ranks; each number is equally likely.
Result<Pattern> random_sets(const PatternInput& input) {
  const std::uint32_t n = input.ranks;
  const auto mean = count(input, 4, 1, std::max(1u, (std::max(n, 1u) - 1) / 2));
  if (!mean) return forward(mean);
  if (n < 2) return one_level(input, {});
  constexpr std::uint32_t kSizeMax = 16;
  Rng rng = input.rng;
  std::vector<Flow> flows;
  std::vector<std::uint32_t> to;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint64_t wanted = std::min<std::uint64_t>(rng.below(2 * *mean + 1), n - 1);
    to.clear();
    while (to.size() < wanted) {
      const auto pick = static_cast<std::uint32_t>(rng.below(n));
      if (pick != i && std::ranges::find(to, pick) == to.end()) to.push_back(pick);
    }
    for (const std::uint32_t receiver : to)
      flows.push_back({i, receiver, 1 + static_cast<std::uint32_t>(rng.below(kSizeMax))});
  }
  return one_level(input, std::move(flows));
}

}  // namespace weft::patterns
