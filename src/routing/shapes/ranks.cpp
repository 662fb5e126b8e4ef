// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/ranks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <queue>

#include "base/parallel.h"
#include "base/rng.h"
#include "routing/shapes/hop_dag.h"
#include "routing/shapes/levels.h"

namespace weft {
namespace {

// Least share of all hosts at a distance that is dominant.
constexpr double kDominantShare = 0.9;

Centrality summary(std::span<const std::uint64_t> histogram) {
  Centrality result;
  std::uint64_t hosts = 0;
  for (std::size_t distance = 0; distance < histogram.size(); ++distance) {
    hosts += histogram[distance];
    result.total += distance * histogram[distance];
    if (histogram[distance] > 0) result.farthest = static_cast<std::uint16_t>(distance);
  }
  for (std::size_t distance = 0; distance < histogram.size() && hosts > 0; ++distance)
    if (static_cast<double>(histogram[distance]) >= kDominantShare * static_cast<double>(hosts))
      result.dominant = static_cast<std::uint16_t>(distance);
  return result;
}

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kSources = 64;  // sources of one search, one bit of a word each

/// Searches breadth first from up to 64 switches at once (Then et al., "The More the Merrier:
/// Efficient Multi-Source Graph Traversal", VLDB 2014): bit i of a word belongs to the search from
/// source i.
void centralities_of(const Fabric& fabric, std::span<const std::uint32_t> heads,
                     std::span<const std::uint32_t> hosts_at, std::uint32_t first,
                     std::span<Centrality> result) {
  std::vector<std::uint64_t> seen(fabric.switch_count(), 0), now(seen), next(seen);
  for (std::uint32_t i = 0; i < result.size(); ++i)
    seen[first + i] = now[first + i] = std::uint64_t{1} << i;
  std::vector<std::vector<std::uint64_t>> histogram(result.size());
  for (bool more = true; more;) {
    more = false;
    for (auto& hosts : histogram) hosts.push_back(0);
    for (std::uint32_t s = 0; s < now.size(); ++s)
      if (const std::uint32_t hosts = hosts_at[s]; hosts > 0)
        for (std::uint64_t left = now[s]; left != 0; left &= left - 1)
          histogram[static_cast<std::size_t>(std::countr_zero(left))].back() += hosts;
    std::uint32_t channel = 0;
    for (std::uint32_t s = 0; s < now.size(); ++s) {
      const auto end =
          channel + static_cast<std::uint32_t>(fabric.channels_from(SwitchId(s)).size());
      for (; channel < end; ++channel) next[heads[channel]] |= now[s];
    }
    for (std::uint32_t s = 0; s < now.size(); ++s) {
      now[s] = next[s] & ~seen[s];
      seen[s] |= now[s];
      next[s] = 0;
      more = more || now[s] != 0;
    }
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = summary(histogram[i]);
    result[i].hosts = hosts_at[first + i];
  }
}

/// Whether most switches of the list are cabled to another switch of the list.
bool is_flat(const Fabric& fabric, std::span<const SwitchId> leaves) {
  std::vector<bool> is_leaf(fabric.switch_count(), false);
  for (const SwitchId sw : leaves) is_leaf[sw.value()] = true;
  const auto joined = std::ranges::count_if(leaves, [&](SwitchId sw) {
    return std::ranges::any_of(fabric.channels_from(sw),
                               [&](const Channel& channel) { return is_leaf[channel.to.value()]; });
  });
  return 2 * static_cast<std::size_t>(joined) > leaves.size();
}

std::vector<std::uint16_t> densest_first(const Fabric& fabric, SwitchId first,
                                         std::span<const std::uint32_t> preference) {
  std::vector<std::uint16_t> rank(fabric.switch_count(), kNoRank);
  std::vector<std::uint32_t> links(fabric.switch_count(), 0);  // to ranked switches
  using Entry = std::array<std::uint32_t, 3>;                  // links, preference reversed, switch
  std::priority_queue<Entry> queue;
  queue.push({0, 0, first.value()});
  for (std::uint16_t next = 0; !queue.empty();) {
    const std::uint32_t sw = queue.top().back();
    queue.pop();
    if (rank[sw] != kNoRank) continue;
    rank[sw] = next++;
    for (const Channel& channel : fabric.channels_from(SwitchId(sw))) {
      const std::uint32_t to = channel.to.value();
      if (rank[to] == kNoRank) queue.push({++links[to], ~preference[to], to});
    }
  }
  return rank;
}

}  // namespace

std::vector<std::uint32_t> count_hosts(const Fabric& fabric) {
  auto hosts = ftree::find_compute_nodes(fabric, {}).compute_at;
  if (std::ranges::any_of(hosts, [](std::uint32_t count) { return count > 0; })) return hosts;
  for (std::uint32_t s = 0; s < hosts.size(); ++s)
    hosts[s] = static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size());
  return hosts;
}

std::vector<Centrality> centralities(const Fabric& fabric, unsigned threads) {
  std::vector<Centrality> result(fabric.switch_count());
  const auto heads = channel_heads(fabric);
  const auto hosts = count_hosts(fabric);
  parallel_blocks(result.size(), kSources, threads, [&](std::size_t begin, std::size_t end) {
    centralities_of(fabric, heads, hosts, static_cast<std::uint32_t>(begin),
                    std::span(result).subspan(begin, end - begin));
  });
  return result;
}

std::vector<std::vector<SwitchId>> switches_by_part(const Fabric& fabric) {
  std::vector<std::vector<SwitchId>> parts;
  std::vector<bool> seen(fabric.switch_count(), false);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (seen[s]) continue;
    const SwitchId start[] = {SwitchId(s)};
    const auto rank = hops_from(fabric, start);
    parts.emplace_back();
    for (std::uint32_t other = s; other < rank.size(); ++other) {
      if (rank[other] == kNoRank) continue;
      seen[other] = true;
      parts.back().push_back(SwitchId(other));
    }
  }
  return parts;
}

std::vector<SwitchId> detect_roots(std::span<const SwitchId> part,
                                   std::span<const Centrality> facts) {
  // In a large tree, leaves are also at equal distance from nearly all hosts; roots are the
  // switches with the smallest such distance.
  std::uint16_t nearest = kNoRank;
  for (const SwitchId sw : part) nearest = std::min(nearest, facts[sw.value()].dominant);
  std::vector<SwitchId> roots;
  for (const SwitchId sw : part)
    if (nearest != kNoRank && facts[sw.value()].dominant == nearest) roots.push_back(sw);
  return roots;
}

std::vector<SwitchId> full_leaves(std::span<const SwitchId> part,
                                  std::span<const Centrality> facts) {
  std::uint32_t most = 0;
  for (const SwitchId sw : part) most = std::max(most, facts[sw.value()].hosts);
  std::vector<SwitchId> leaves;
  for (const SwitchId sw : part)
    if (2 * facts[sw.value()].hosts >= most) leaves.push_back(sw);
  return leaves;
}

SwitchId central_switch(std::span<const SwitchId> part, std::span<const Centrality> facts) {
  const auto leaves = full_leaves(part, facts);
  return *std::ranges::min_element(leaves, {}, [&](SwitchId sw) {
    return std::pair(facts[sw.value()].farthest, facts[sw.value()].total);
  });
}

std::vector<std::uint16_t> ranks_around(const Fabric& fabric, std::span<const SwitchId> part,
                                        std::span<const Centrality> facts,
                                        std::span<const std::uint32_t> ids) {
  const SwitchId center[] = {central_switch(part, facts)};
  if (!is_flat(fabric, full_leaves(part, facts))) return hops_from(fabric, center);
  if (!ids.empty()) return densest_first(fabric, center[0], ids);
  return densest_first(fabric, center[0], Rng(kSeed).permutation(fabric.switch_count()));
}

std::vector<std::uint16_t> ranks_above(const Fabric& fabric, std::span<const SwitchId> lowest,
                                       std::span<const std::uint16_t> ties) {
  const auto distance = hops_from(fabric, lowest);
  const auto key = [&](std::size_t s) { return std::pair(kNoRank - distance[s], ties[s]); };
  std::vector<std::pair<int, std::uint16_t>> keys;
  for (std::size_t s = 0; s < distance.size(); ++s) keys.push_back(key(s));
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::uint16_t> rank;
  for (std::size_t s = 0; s < distance.size(); ++s)
    rank.push_back(
        static_cast<std::uint16_t>(std::ranges::lower_bound(keys, key(s)) - keys.begin()));
  return rank;
}

}  // namespace weft
