// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/switch_orders.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "base/rng.h"
#include "fabric/hops.h"
#include "routing/shapes/ranks.h"

namespace weft {
namespace {

constexpr std::uint64_t kOrderSeed = 1;
constexpr std::uint32_t kNoCluster = 0xFFFFFFFF;
constexpr std::uint32_t kAllBits = 0xFFFFFFFF;
// Neighbors belong to one cluster if they share at least 1 / kShared of their neighbors.
constexpr std::size_t kShared = 4;
constexpr std::uint32_t kOrderSamples = 16;
constexpr std::uint32_t kCandidates = 60;  // possible roots; limited by the bits of a word

bool are_in_one_cluster(const Trunks& trunks, std::uint32_t a, std::uint32_t b) {
  std::size_t common = 0;
  std::uint32_t i = trunks.begin[a], j = trunks.begin[b];
  while (i < trunks.begin[a + 1] && j < trunks.begin[b + 1]) {
    const std::uint32_t one = trunks.head[i], other = trunks.head[j];
    common += one == other ? 1 : 0;
    i += one <= other ? 1 : 0;
    j += other <= one ? 1 : 0;
  }
  const std::size_t degree =
      std::max(trunks.begin[a + 1] - trunks.begin[a], trunks.begin[b + 1] - trunks.begin[b]);
  return kShared * common >= degree;
}

struct Clusters {
  std::vector<std::uint32_t> of;  // by switch
  std::uint32_t count = 0;
};

Clusters clusters_of(const Trunks& trunks, std::uint32_t switches) {
  Clusters found{std::vector<std::uint32_t>(switches, kNoCluster)};
  std::vector<std::uint32_t> stack;
  for (std::uint32_t s = 0; s < switches; ++s) {
    if (found.of[s] != kNoCluster) continue;
    stack.assign(1, s);
    found.of[s] = found.count;
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      for (std::uint32_t t = trunks.begin[at]; t < trunks.begin[at + 1]; ++t) {
        const std::uint32_t to = trunks.head[t];
        if (found.of[to] != kNoCluster || !are_in_one_cluster(trunks, at, to)) continue;
        found.of[to] = found.count;
        stack.push_back(to);
      }
    }
    ++found.count;
  }
  return found;
}

std::vector<std::uint16_t> hops_to_hosts(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  std::vector<SwitchId> leaves;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (hosts[s] > 0) leaves.emplace_back(s);
  return hops_from(fabric, leaves);
}

/// The orders that agree with the paths toward one switch.
class PathOrders {
 public:
  using Mask = SwitchOrders::Mask;

  PathOrders(const Trunks& trunks, const SwitchOrders& orders)
      : trunks_(trunks), orders_(orders), of_trunk_(trunks.count()) {}

  /// Returns, by switch, all orders that agree with at least one shortest path to the destination,
  /// which is the switch with 0 hops. The mask is 0 for the destination and for unreachable
  /// switches.
  std::vector<Mask> toward(std::span<const std::uint16_t> hops) {
    std::vector<std::uint32_t> near_first(hops.size());
    std::iota(near_first.begin(), near_first.end(), 0u);
    std::ranges::stable_sort(near_first, {}, [&](std::uint32_t s) { return hops[s]; });
    std::vector<Mask> found(hops.size(), 0);
    const std::uint32_t* const head = trunks_.head.data();
    for (const std::uint32_t s : near_first) {
      if (hops[s] == kNoHops || hops[s] == 0) continue;
      for (std::uint32_t t = trunks_.begin[s]; t < trunks_.begin[s + 1]; ++t)
        if (hops.data()[head[t]] < hops[s]) {
          of_trunk_[t] = beyond(t, hops.data());
          found[s] = static_cast<Mask>(found[s] | of_trunk_[t]);
        }
    }
    return found;
  }

 private:
  Mask beyond(std::uint32_t trunk, const std::uint16_t* hops) const {
    const std::uint32_t* const head = trunks_.head.data();
    const Mask* const of_trunk = of_trunk_.data();
    const std::uint32_t over = head[trunk];
    if (hops[over] == 0) return static_cast<Mask>((1u << orders_.count()) - 1);
    Mask found = 0;
    const std::uint32_t end = trunks_.begin[over + 1];
    for (std::uint32_t t = trunks_.begin[over]; t < end; ++t)
      if (hops[head[t]] < hops[over])
        found = static_cast<Mask>(found | (of_trunk[t] & orders_.agree(trunk, t)));
    return found;
  }

  const Trunks& trunks_;
  const SwitchOrders& orders_;
  std::vector<Mask> of_trunk_;
};

}  // namespace

SwitchOrders::SwitchOrders(const Fabric& fabric, const Trunks& trunks, unsigned count)
    : up_(trunks.count(), 0) {
  const std::uint32_t switches = fabric.switch_count();
  const Clusters clusters = clusters_of(trunks, switches);
  const auto level = hops_to_hosts(fabric);
  // Two orders can be reversed: the order within clusters, if clusters have at least two switches
  // on average, and the order of the clusters, unless there is only one cluster.
  const bool inside = 2 * clusters.count <= switches, between = clusters.count > 1;
  const unsigned reversals = (inside ? 2u : 1u) * (between ? 2u : 1u);
  std::vector<std::uint32_t> sorted(switches);
  std::iota(sorted.begin(), sorted.end(), 0u);
  for (unsigned order = 0; order < count; ++order) {
    Rng rng = Rng(kOrderSeed).fork(order / reversals);
    const unsigned reversal = order % reversals;
    const std::uint32_t swap_inside = inside && reversal % 2 != 0 ? kAllBits : 0;
    const std::uint32_t swap_between = between && reversal / (inside ? 2 : 1) != 0 ? kAllBits : 0;
    const auto outer = rng.permutation(clusters.count);
    const auto inner = rng.permutation(switches);
    std::ranges::sort(sorted, {}, [&](std::uint32_t s) {
      return std::tuple(level[s], outer[clusters.of[s]] ^ swap_between, inner[s] ^ swap_inside);
    });
    add(trunks, sorted);
  }
}

SwitchOrders::SwitchOrders(const Fabric& fabric, const Trunks& trunks,
                           std::span<const SwitchId> roots)
    : up_(trunks.count(), 0) {
  std::vector<std::uint32_t> sorted(fabric.switch_count());
  std::iota(sorted.begin(), sorted.end(), 0u);
  for (const SwitchId root : roots) {
    const auto hops = hops_from(fabric, std::span(&root, 1));
    std::ranges::sort(sorted, {}, [&](std::uint32_t s) { return std::tuple(~hops[s], s); });
    add(trunks, sorted);
  }
}

/// Adds an order. `sorted`: the switches from the lowest to the highest.
void SwitchOrders::add(const Trunks& trunks, std::span<const std::uint32_t> sorted) {
  const std::size_t order = places_.size();
  auto& place = places_.emplace_back(sorted.size());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) place[sorted[i]] = i;
  for (std::uint32_t t = 0; t < trunks.count(); ++t)
    if (place[trunks.tail[t]] < place[trunks.head[t]])
      up_[t] = static_cast<Mask>(up_[t] | 1u << order);
}

SwitchOrders SwitchOrders::around_roots(const Fabric& fabric, const Trunks& trunks,
                                        unsigned count) {
  const std::uint32_t switches = fabric.switch_count();
  const auto shuffled = Rng(kOrderSeed).permutation(switches);
  std::vector<SwitchId> candidates;
  for (std::uint32_t i = 0; i < std::min(switches, kCandidates); ++i)
    candidates.emplace_back(shuffled[i]);
  // By pair of a sample and another switch, the candidates that agree with at least one path of the
  // pair.
  std::vector<std::uint64_t> agree;
  const std::uint32_t step = std::max(1u, switches / kOrderSamples);
  for (std::size_t first = 0; first < candidates.size(); first += kMost) {
    const auto some = std::span(candidates)
                          .subspan(first, std::min<std::size_t>(kMost, candidates.size() - first));
    const SwitchOrders orders(fabric, trunks, some);
    PathOrders paths(trunks, orders);
    std::size_t pair = 0;
    for (std::uint32_t d = 0; d < switches; d += step) {
      const SwitchId start[] = {SwitchId(d)};
      for (const Mask found : paths.toward(hops_from(fabric, start))) {
        if (pair == agree.size()) agree.push_back(0);
        agree[pair++] |= std::uint64_t{found} << first;
      }
    }
  }
  // A pair that already has an order has a smaller weight, but not 0, because its final path may
  // not agree with that order.
  std::vector<std::uint64_t> worth(agree.size(), std::uint64_t{1} << 3 * kMost);
  std::vector<SwitchId> roots;
  while (roots.size() < count) {
    std::vector<std::uint64_t> gain(candidates.size(), 0);
    for (std::size_t pair = 0; pair < agree.size(); ++pair)
      for (std::uint64_t left = agree[pair]; left != 0; left &= left - 1)
        gain[static_cast<unsigned>(std::countr_zero(left))] += worth[pair];
    const auto best = static_cast<std::size_t>(std::ranges::max_element(gain) - gain.begin());
    roots.push_back(candidates[best]);
    for (std::size_t pair = 0; pair < agree.size(); ++pair)
      if ((agree[pair] >> best & 1) != 0) worth[pair] >>= 3;
  }
  return SwitchOrders(fabric, trunks, roots);
}

std::vector<std::uint32_t> SwitchOrders::row_of(unsigned order, const Trunks& trunks) const {
  const auto& place = places_[order];
  const auto key = [&](std::uint32_t trunk) {
    const std::uint64_t from = place[trunks.tail[trunk]];
    return (up_[trunk] >> order & 1) != 0 ? from : 2 * place.size() - from;
  };
  std::vector<std::uint32_t> sorted(trunks.count());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::ranges::stable_sort(sorted, {}, key);
  std::vector<std::uint32_t> row(trunks.count());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) row[sorted[i]] = i;
  return row;
}

std::vector<double> unfitted_shares(const Fabric& fabric, const Trunks& trunks,
                                    const SwitchOrders& orders, Pairs counted) {
  PathOrders paths(trunks, orders);
  std::vector<std::uint64_t> first(orders.count() + std::size_t{1}, 0);  // by first fitting order
  std::uint64_t pairs = 0;
  const auto ends = [&](std::uint32_t s) {
    return counted == Pairs::kOfEndports ? fabric.endports_at(SwitchId(s)).size() + 1 : 1;
  };
  const std::uint32_t step = std::max(1u, fabric.switch_count() / kOrderSamples);
  for (std::uint32_t d = 0; d < fabric.switch_count(); d += step) {
    const SwitchId start[] = {SwitchId(d)};
    const auto hops = hops_from(fabric, start);
    const auto found = paths.toward(hops);
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      if (hops[s] == 0 || hops[s] == kNoHops) continue;
      if (fabric.endports_at(SwitchId(s)).empty() && fabric.endports_at(SwitchId(d)).empty())
        continue;
      const std::uint64_t here = std::uint64_t{ends(s)} * ends(d);
      pairs += here;
      first[std::min<unsigned>(orders.count(),
                               static_cast<unsigned>(std::countr_zero(found[s])))] += here;
    }
  }
  std::vector<double> share;
  std::uint64_t left = pairs;
  for (const std::uint64_t fit : first) {
    share.push_back(static_cast<double>(left) /
                    static_cast<double>(std::max<std::uint64_t>(1, pairs)));
    left -= fit;
  }
  return share;
}

}  // namespace weft
