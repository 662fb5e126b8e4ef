// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/pair_distances.h"

#include <algorithm>

#include "base/check.h"
#include "base/parallel.h"
#include "fabric/hops.h"

namespace weft::layering {

namespace {

constexpr std::size_t kTile = 64;  // switches per side of a block of pairs

}  // namespace

Distances measure_distances(const Fabric& fabric, const Trunks& trunks,
                            std::span<const Destination> order, unsigned threads) {
  const std::uint32_t switches = fabric.switch_count();
  Distances found{std::vector<std::uint16_t>(std::size_t{switches} * switches), {}};
  threads = threads_worth(std::uint64_t{switches} * trunks.count(), threads);
  parallel_for(switches, threads, [&](std::size_t d) {
    const SwitchId start[] = {SwitchId(static_cast<std::uint32_t>(d))};
    std::ranges::copy(hops_from(fabric, start), &found.hops[d * switches]);
  });
  const auto gather = [&](std::size_t i, std::size_t j) {
    const std::uint32_t one = order[i].sw.value(), other = order[j].sw.value();
    const std::uint32_t a = std::min(one, other), b = std::max(one, other);
    const std::uint16_t hops = found.hops[std::size_t{b} * switches + a];
    if (hops == kNoHops) return;
    if (hops >= found.pairs.size()) found.pairs.resize(std::size_t{hops} + 1);
    found.pairs[hops].push_back({a, b});
  };
  CHECK(order.size() == switches);
  for (std::size_t rows = 0; rows < switches; rows += kTile)
    for (std::size_t columns = 0; columns <= rows; columns += kTile)
      for (std::size_t i = rows; i < std::min<std::size_t>(rows + kTile, switches); ++i)
        for (std::size_t j = columns; j < std::min(columns + kTile, i); ++j) gather(i, j);
  return found;
}

}  // namespace weft::layering
