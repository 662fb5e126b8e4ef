// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/distances.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"

namespace weft::nue {

std::size_t Distances::shortest_arcs(const Arcs& arcs) const {
  std::size_t count = 0;
  for (std::uint32_t a = 0; a < arcs.count(); ++a)
    count += hops.data()[arcs.head.data()[a]] < hops.data()[arcs.tail.data()[a]] ? 1 : 0;
  return count;
}

DistanceSearch::DistanceSearch(const Arcs& arcs)
    : arcs_(arcs), seen_(arcs.switches), last_(arcs.switches), next_(arcs.switches) {}

void DistanceSearch::run(std::span<const std::uint32_t> destinations) {
  CHECK(!destinations.empty() && destinations.size() <= kAtOnce);
  hops_.assign(destinations.size() * arcs_.switches, kUnreachable);
  near_.resize(hops_.size());
  near_count_.fill(0);
  std::ranges::fill(seen_, 0);
  std::ranges::fill(next_, 0);
  for (std::size_t i = 0; i < destinations.size(); ++i)
    next_[destinations[i]] = std::uint64_t{1} << i;
  const std::uint64_t all = ~std::uint64_t{0} >> (kAtOnce - destinations.size());
  for (std::uint32_t hops = 0; record(hops); ++hops) step(all);
}

Distances DistanceSearch::of(std::size_t i) const {
  return {std::span(hops_).subspan(i * arcs_.switches, arcs_.switches),
          std::span(near_).subspan(i * arcs_.switches, near_count_[i])};
}

/// Records the switches that reach a destination with this number of hops. Returns false if there
/// are none.
bool DistanceSearch::record(std::uint32_t hops) {
  // Local copies, so that stores to memory do not force the compiler to reload the pointers. step()
  // uses such copies, too.
  const std::size_t switches = arcs_.switches;
  const std::uint64_t* const next = next_.data();
  std::uint64_t* const seen = seen_.data();
  std::uint32_t* const hop = hops_.data();
  std::uint32_t* const near = near_.data();
  std::uint64_t any = 0;
  for (std::size_t s = 0; s < switches; ++s) {
    seen[s] |= next[s];
    any |= next[s];
    for (std::uint64_t bits = next[s]; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(bits));
      hop[i * switches + s] = hops;
      near[i * switches + near_count_[i]++] = static_cast<std::uint32_t>(s);
    }
  }
  return any != 0;
}

/// Sets in next_, for each switch, the destinations with a path over a neighbor in last_ that have
/// no path with fewer hops.
void DistanceSearch::step(std::uint64_t all) {
  std::swap(last_, next_);
  const std::uint32_t* const head = arcs_.head.data();
  const std::uint64_t* const last = last_.data();
  const std::uint64_t* const seen = seen_.data();
  std::uint64_t* const next = next_.data();
  for (std::uint32_t s = 0; s < arcs_.switches; ++s) {
    std::uint64_t reached = 0;
    if (seen[s] != all)
      for (std::uint32_t a = arcs_.begin[s], end = arcs_.begin[s + 1]; a < end; ++a)
        reached |= last[head[a]];
    next[s] = reached & ~seen[s];
  }
}

}  // namespace weft::nue
