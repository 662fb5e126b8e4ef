// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/balance/weighted.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace weft {

std::vector<std::uint16_t> positions_of_lengths(std::span<const std::uint64_t> lengths) {
  std::vector<std::uint64_t> distinct(lengths.begin(), lengths.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::uint16_t> result;
  result.reserve(lengths.size());
  for (const std::uint64_t length : lengths)
    result.push_back(length == kNoLength
                         ? HopDag::kUnreached
                         : static_cast<std::uint16_t>(std::ranges::lower_bound(distinct, length) -
                                                      distinct.begin()));
  return result;
}

void make_weighted_dag(const Fabric& fabric, std::span<const std::uint64_t> weights,
                       SwitchId destination, HopDag& dag) {
  std::vector<std::uint64_t> length(fabric.switch_count(), kNoLength);
  using Entry = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  length[destination.value()] = 0;
  queue.emplace(0, destination.value());
  while (!queue.empty()) {
    const auto [reached, sw] = queue.top();
    queue.pop();
    if (reached > length[sw]) continue;
    for (const Channel& channel : fabric.channels_from(SwitchId(sw))) {
      const std::uint64_t through = reached + weights[channel.reverse.value()];
      std::uint64_t& known = length[channel.to.value()];
      if (through >= known) continue;
      known = through;
      queue.emplace(through, channel.to.value());
    }
  }

  const auto level = positions_of_lengths(length);
  dag.start(destination);
  for (std::uint32_t s = 0; s < length.size(); ++s) {
    if (s == destination.value() || length[s] == kNoLength) continue;
    dag.add_switch(s, level[s]);
    std::uint32_t id = fabric.first_channel(SwitchId(s)).value();
    for (const Channel& channel : fabric.channels_from(SwitchId(s))) {
      const std::uint64_t beyond = length[channel.to.value()];
      if (beyond != kNoLength && beyond + weights[id] == length[s])
        dag.add_next_hop(id, channel.to.value());
      ++id;
    }
  }
  dag.finish();
}

}  // namespace weft
