// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/tree_growth.h"

#include <algorithm>
#include <array>

#include "base/processor.h"

namespace weft {
namespace {

constexpr std::size_t kNextHopsMax = 1u << kNextHopBits;

template <class Cost>
[[gnu::always_inline]] inline Cost least_sum(const Cost* behind, const Cost* load,
                                             std::size_t count) {
  Cost best = static_cast<Cost>(~Cost{0});
  for (std::size_t i = 0; i < count; ++i) {
    const Cost sum = behind[i] + load[i];
    best = sum < best ? sum : best;
  }
  return best;
}

/// Arrays of the loops below.
template <class Cost>
struct Growth {
  const HopDag& dag;
  const Cost* load;
  Cost* cost;
  TreeChoice* choices;
};

template <class Cost>
inline constexpr Cost kNextHopMask = kNextHopsMax - 1;

/// For members with the same neighbors as next hops: the costs of the neighbors are loaded once,
/// and loads of adjacent channels are read without gather instructions.
template <class Cost>
[[gnu::always_inline]] inline void grow_alike(const Growth<Cost>& growth,
                                              const HopDag::Group& group) {
  std::array<Cost, kNextHopsMax> behind;
  std::array<Cost, kNextHopsMax> gathered;
  const HopDag::Member* members = growth.dag.members().data();
  const auto targets = growth.dag.targets(group, members[group.begin]);
  for (std::size_t i = 0; i < group.next_hops; ++i)
    behind[i] = growth.cost[targets[i]] + static_cast<Cost>(i);
  for (std::uint32_t m = group.begin; m < group.end; ++m) {
    const auto channels = growth.dag.channels(group, members[m]);
    const Cost* loads = growth.load + members[m].first;
    if (!growth.dag.by_channel() || channels.back() - channels.front() != group.next_hops - 1) {
      for (std::size_t i = 0; i < group.next_hops; ++i) gathered[i] = growth.load[channels[i]];
      loads = gathered.data();
    }
    const Cost best = least_sum(behind.data(), loads, group.next_hops);
    const std::size_t next_hop = static_cast<std::size_t>(best & kNextHopMask<Cost>);
    growth.cost[members[m].sw] = best & ~kNextHopMask<Cost>;
    growth.choices[m] = {channels[next_hop], targets[next_hop]};
  }
}

/// For members with different next hops. With kNextHops > 0 each member has exactly kNextHops next
/// hops, so that the inner loop has a constant length.
template <std::size_t kNextHops, class Cost>
[[gnu::always_inline]] inline void grow_separately(const Growth<Cost>& growth,
                                                   const HopDag::Group& group) {
  const HopDag::Member* const members = growth.dag.members().data();
  const std::uint32_t* const channels = growth.dag.channels().data();
  const std::uint32_t* const targets = growth.dag.targets().data();
  const Cost* const load = growth.load;
  Cost* const cost = growth.cost;
  TreeChoice* const choices = growth.choices;
  const std::size_t next_hops = kNextHops > 0 ? kNextHops : group.next_hops;
  for (std::uint32_t m = group.begin; m < group.end; ++m) {
    const std::uint32_t first = members[m].next_hop;
    Cost best = cost[targets[first]] + load[channels[first]];
    for (std::size_t i = 1; i < next_hops; ++i) {
      const Cost sum = cost[targets[first + i]] + load[channels[first + i]] + static_cast<Cost>(i);
      best = sum < best ? sum : best;
    }
    const std::size_t next_hop = first + static_cast<std::size_t>(best & kNextHopMask<Cost>);
    cost[members[m].sw] = best & ~kNextHopMask<Cost>;
    choices[m] = {channels[next_hop], targets[next_hop]};
  }
}

template <class Cost>
[[gnu::always_inline]] inline void grow(const HopDag& dag, const Cost* load, Cost* cost,
                                        TreeChoice* choices) {
  const Growth<Cost> growth{dag, load, cost, choices};
  cost[dag.destination().value()] = 0;
  for (const HopDag::Group& group : dag.groups()) {
    if (group.alike) {
      grow_alike(growth, group);
      continue;
    }
    switch (group.next_hops) {
      case 1:
        grow_separately<1>(growth, group);
        break;
      case 2:
        grow_separately<2>(growth, group);
        break;
      case 3:
        grow_separately<3>(growth, group);
        break;
      case 4:
        grow_separately<4>(growth, group);
        break;
      default:
        grow_separately<0>(growth, group);
    }
  }
}

#if defined(__x86_64__)
template <class Cost>
[[gnu::target("avx2")]] void grow_avx2(const HopDag& dag, const Cost* load, Cost* cost,
                                       TreeChoice* choices) {
  grow(dag, load, cost, choices);
}
#endif

template <class Cost>
void grow_best(const HopDag& dag, const Cost* load, Cost* cost, TreeChoice* choices) {
#if defined(__x86_64__)
  if (has_avx2()) return grow_avx2(dag, load, cost, choices);
#endif
  grow(dag, load, cost, choices);
}

}  // namespace

void grow_tree(const HopDag& dag, std::span<const std::uint32_t> load,
               std::span<std::uint32_t> cost, std::span<TreeChoice> choices) {
  grow_best(dag, load.data(), cost.data(), choices.data());
}

void grow_tree(const HopDag& dag, std::span<const std::uint64_t> load,
               std::span<std::uint64_t> cost, std::span<TreeChoice> choices) {
  grow_best(dag, load.data(), cost.data(), choices.data());
}

}  // namespace weft
