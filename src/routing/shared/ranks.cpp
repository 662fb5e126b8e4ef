#include "routing/shared/ranks.h"

#include <algorithm>

#include "base/parallel.h"

namespace weft {
namespace {

// A column of the histogram that holds this share of all hosts stands out.
constexpr double kDominantShare = 0.9;

Centrality centrality(const Fabric& fabric, SwitchId from) {
  const SwitchId roots[] = {from};
  const auto hops = ranks_from(fabric, roots);
  std::vector<std::uint64_t> histogram;
  std::uint64_t hosts = 0;
  Centrality result;
  for (std::uint32_t s = 0; s < hops.size(); ++s) {
    const std::size_t here = fabric.endports_at(SwitchId(s)).size();
    if (here == 0 || hops[s] == kNoRank) continue;
    if (hops[s] >= histogram.size()) histogram.resize(std::size_t{hops[s]} + 1, 0);
    histogram[hops[s]] += here;
    hosts += here;
    result.total += here * hops[s];
  }
  if (hosts == 0) return result;
  result.farthest = static_cast<std::uint16_t>(histogram.size() - 1);
  for (std::size_t distance = 0; distance < histogram.size(); ++distance)
    if (static_cast<double>(histogram[distance]) >= kDominantShare * static_cast<double>(hosts))
      result.dominant = static_cast<std::uint16_t>(distance);
  return result;
}

}  // namespace

std::vector<std::uint16_t> ranks_from(const Fabric& fabric, std::span<const SwitchId> roots) {
  std::vector<std::uint16_t> rank(fabric.switch_count(), kNoRank);
  std::vector<std::uint32_t> queue;
  for (const SwitchId root : roots) {
    if (rank[root.value()] == 0) continue;
    rank[root.value()] = 0;
    queue.push_back(root.value());
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const Channel& channel : fabric.channels_from(SwitchId(queue[head]))) {
      std::uint16_t& to = rank[channel.to.value()];
      if (to != kNoRank) continue;
      to = static_cast<std::uint16_t>(rank[queue[head]] + 1);
      queue.push_back(channel.to.value());
    }
  }
  return rank;
}

std::vector<Centrality> centralities(const Fabric& fabric, unsigned threads) {
  std::vector<Centrality> result(fabric.switch_count());
  parallel_for(
      result.size(), threads,
      [&](std::size_t s) {
        result[s] = centrality(fabric, SwitchId(static_cast<std::uint32_t>(s)));
      },
      16);
  return result;
}

std::vector<std::vector<SwitchId>> components(const Fabric& fabric) {
  std::vector<std::vector<SwitchId>> parts;
  std::vector<bool> seen(fabric.switch_count(), false);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (seen[s]) continue;
    const SwitchId start[] = {SwitchId(s)};
    const auto rank = ranks_from(fabric, start);
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
  // Leaves, too, are equally far from nearly all hosts of a large tree: the roots are those that
  // are nearest.
  std::uint16_t nearest = kNoRank;
  for (const SwitchId sw : part) nearest = std::min(nearest, facts[sw.value()].dominant);
  std::vector<SwitchId> roots;
  for (const SwitchId sw : part)
    if (nearest != kNoRank && facts[sw.value()].dominant == nearest) roots.push_back(sw);
  return roots;
}

SwitchId central_switch(std::span<const SwitchId> part, std::span<const Centrality> facts) {
  return *std::ranges::min_element(part, {}, [&](SwitchId sw) {
    return std::pair(facts[sw.value()].farthest, facts[sw.value()].total);
  });
}

}  // namespace weft
