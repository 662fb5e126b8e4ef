// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// For each of the channels with the largest permutation load, the permutation that causes it: one
// level per channel, the most loaded first. The other hosts send to each other at random.
#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "congestion/patterns/kinds.h"
#include "congestion/permutation_bound.h"

namespace weft::patterns {
namespace {

std::vector<Flow> worst_permutation(const PatternInput& input,
                                    std::span<const std::uint32_t> rank_of_host,
                                    std::uint32_t channel, Rng rng) {
  std::vector<Flow> flows;
  std::vector<bool> sends(input.ranks), receives(input.ranks);
  for (const auto& [from, to] : worst_pairs(*input.network, input.hosts, channel)) {
    flows.push_back({rank_of_host[from], rank_of_host[to]});
    sends[rank_of_host[from]] = receives[rank_of_host[to]] = true;
  }
  std::vector<std::uint32_t> senders, receivers;
  for (std::uint32_t rank = 0; rank < input.ranks; ++rank) {
    if (!sends[rank]) senders.push_back(rank);
    if (!receives[rank]) receivers.push_back(rank);
  }
  rng.shuffle(std::span(receivers));
  // A rank that would send to itself swaps receivers with the next rank. A single rank is idle.
  for (std::size_t i = 0; i < senders.size(); ++i)
    if (senders[i] == receivers[i] && senders.size() > 1)
      std::swap(receivers[i], receivers[(i + 1) % receivers.size()]);
  for (std::size_t i = 0; i < senders.size(); ++i)
    if (senders[i] != receivers[i]) flows.push_back({senders[i], receivers[i]});
  return flows;
}

}  // namespace

Result<Pattern> adversarial(const PatternInput& input) {
  std::uint32_t wanted = 16;
  if (!input.argument.empty()) {
    const auto number = parse_number<std::uint32_t>(input.argument);
    if (!number || *number == 0 || *number > 4096)
      return fail(Code::kUsage,
                  "found {} behind the colon, expected a number of channels, 1 to 4096",
                  quoted(input.argument));
    wanted = *number;
  }
  if (input.network == nullptr) return fail(Code::kUsage, "this pattern requires a network");
  std::vector<ChannelBound> bounds = permutation_bounds(*input.network, input.hosts);
  std::erase_if(bounds, [](const ChannelBound& bound) { return bound.flows < 2; });
  std::ranges::stable_sort(bounds, std::ranges::greater{}, &ChannelBound::flows);
  bounds.resize(std::min<std::size_t>(bounds.size(), wanted));
  std::vector<std::uint32_t> rank_of_host(input.network->host_count(), 0);
  for (std::uint32_t rank = 0; rank < input.ranks; ++rank) rank_of_host[input.hosts[rank]] = rank;
  std::vector<std::vector<Flow>> levels;
  levels.reserve(bounds.size());
  for (const ChannelBound& bound : bounds)
    levels.push_back(
        worst_permutation(input, rank_of_host, bound.channel, input.rng.fork(levels.size())));
  Pattern pattern = pattern_of_levels({}, input.ranks, std::move(levels));
  pattern.is_placed = true;
  if (bounds.empty())
    pattern.notes.push_back("no permutation sends two messages over one channel: no levels");
  return pattern;
}

}  // namespace weft::patterns
