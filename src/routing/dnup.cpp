// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/dnup.h"

#include <span>

#include "base/parallel.h"
#include "routing/shapes/ranks.h"
#include "routing/up_down/up_down.h"

namespace weft {
namespace {

/// Ranks by distance from the leaves, or if hosts then have no legal path, by distance from all
/// switches with hosts.
Result<std::vector<std::uint16_t>> rank_by_hosts(const Fabric& fabric,
                                                 std::span<const std::uint32_t> ids,
                                                 unsigned threads) {
  const auto facts = centralities(fabric, threads);
  std::vector<SwitchId> full, any;
  std::vector<std::uint16_t> from_center(fabric.switch_count(), kNoRank);
  for (const auto& part : switches_by_part(fabric)) {
    const auto leaves = full_leaves(part, facts);
    full.insert(full.end(), leaves.begin(), leaves.end());
    for (const SwitchId sw : part)
      if (!fabric.endports_at(sw).empty()) any.push_back(sw);
    const auto ranks = ranks_around(fabric, part, facts, ids);
    for (const SwitchId sw : part) from_center[sw.value()] = ranks[sw.value()];
  }
  auto rank = ranks_above(fabric, full, from_center);
  // Hosts at two spines, for example, have no common switch above them.
  if (leaves_without_path(fabric, rank, ids, threads)) {
    rank = ranks_above(fabric, any, from_center);
    if (const auto gap = leaves_without_path(fabric, rank, ids, threads))
      return fail(Code::kUnroutable,
                  "no up*/down* path from {} to {} with ranks counted from the hosts",
                  describe(fabric.node(gap->first)), describe(fabric.node(gap->second)));
  }
  return rank;
}

}  // namespace

Result<Routes> route_dnup(const Fabric& fabric, const DnupOptions& options) {
  const unsigned threads = threads_worth(steps_of_searches(fabric), options.threads);
  auto rank = tree_ranks(fabric);
  if (rank.empty() || leaves_without_path(fabric, rank, options.switch_rank, options.threads)) {
    auto by_hosts = rank_by_hosts(fabric, options.switch_rank, threads);
    if (!by_hosts) return forward(by_hosts);
    rank = std::move(*by_hosts);
  }
  return route_up_down(fabric, rank, options, "dnup");
}

}  // namespace weft
