#include "routing/shared/tree_growth.h"

#include <algorithm>
#include <array>

namespace weft {
namespace {

constexpr std::size_t kWaysMax = 1u << kWayBits;

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

template <class Cost>
[[gnu::always_inline]] inline void grow(const HopDag& dag, const Cost* load, Cost* cost,
                                        TreeChoice* choices) {
  constexpr Cost kWayMask = kWaysMax - 1;
  std::array<Cost, kWaysMax> behind;
  std::array<Cost, kWaysMax> gathered;
  const HopDag::Member* members = dag.members().data();
  cost[dag.destination().value()] = 0;
  for (const HopDag::Group& group : dag.groups()) {
    const auto targets = dag.targets(group);
    for (std::size_t i = 0; i < group.ways; ++i)
      behind[i] = cost[targets[i]] + static_cast<Cost>(i);
    for (std::uint32_t m = group.begin; m < group.end; ++m) {
      const auto channels = dag.channels(group, members[m]);
      const Cost* loads = load + members[m].first;
      if (!dag.by_channel() || channels.back() - channels.front() != group.ways - 1) {
        for (std::size_t i = 0; i < group.ways; ++i) gathered[i] = load[channels[i]];
        loads = gathered.data();
      }
      const Cost best = least_sum(behind.data(), loads, group.ways);
      const std::size_t way = static_cast<std::size_t>(best & kWayMask);
      cost[members[m].sw] = best & ~kWayMask;
      choices[m] = {channels[way], targets[way]};
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
  static const bool kHasAvx2 = __builtin_cpu_supports("avx2") != 0;
  if (kHasAvx2) return grow_avx2(dag, load, cost, choices);
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
