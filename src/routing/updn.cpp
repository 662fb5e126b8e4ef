// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/updn.h"

#include <algorithm>

#include "base/parallel.h"
#include "fabric/hops.h"
#include "routing/shapes/ranks.h"
#include "routing/up_down/up_down.h"

namespace weft {
namespace {

/// Whether all roots are at the top level of their part.
bool on_top(std::span<const SwitchId> roots, std::span<const SwitchId> part,
            std::span<const std::uint16_t> rank) {
  const auto rank_of = [&](SwitchId sw) { return rank[sw.value()]; };
  const std::uint16_t top = rank_of(*std::ranges::min_element(part, {}, rank_of));
  return std::ranges::all_of(roots, [&](SwitchId root) { return rank_of(root) == top; });
}

/// Ranks by distance from the leaves, so that all spines of a dragonfly+ are at the top of their
/// groups. If hosts then have no legal path, the result is ranks_around().
std::vector<std::uint16_t> ranks_without_roots(const Fabric& fabric, std::span<const SwitchId> part,
                                               std::span<const Centrality> facts,
                                               std::span<const std::uint32_t> ids,
                                               unsigned threads) {
  auto around = ranks_around(fabric, part, facts, ids);
  auto above = ranks_above(fabric, full_leaves(part, facts), around);
  return leaves_without_path_in(fabric, part, above, ids, threads) ? around : above;
}

}  // namespace

UpdnOptions UpdnOptions::from(const RoutingOptions& all) {
  return {UpDownOptions::from(all), all.roots};
}

Result<std::vector<std::uint16_t>> updn_ranks(const Fabric& fabric, const UpdnOptions& options) {
  const unsigned threads = threads_worth(steps_of_searches(fabric), options.threads);
  const auto facts = centralities(fabric, threads);
  const auto by_level = tree_ranks(fabric);
  std::vector<std::uint16_t> result(fabric.switch_count(), kNoRank);
  for (const auto& part : switches_by_part(fabric)) {
    std::vector<SwitchId> roots;
    for (const SwitchId root : options.roots)
      if (std::ranges::binary_search(part, root)) roots.push_back(root);
    const bool given = !roots.empty();
    if (!given) roots = detect_roots(part, facts);
    const bool is_tree = !given && !by_level.empty() && on_top(roots, part, by_level);
    auto rank = is_tree ? by_level : hops_from(fabric, roots);
    const auto gap = leaves_without_path_in(fabric, part, rank, options.switch_rank, threads);
    if (gap && given)
      return fail(Code::kUnroutable, "no up/down path from {} to {} with the given roots",
                  describe(fabric.node(gap->first)), describe(fabric.node(gap->second)));
    if (gap || (roots.empty() && !is_tree))
      rank = ranks_without_roots(fabric, part, facts, options.switch_rank, threads);
    for (const SwitchId sw : part) result[sw.value()] = rank[sw.value()];
  }
  return result;
}

Result<Routes> route_updn(const Fabric& fabric, const UpdnOptions& options) {
  const auto rank = updn_ranks(fabric, options);
  if (!rank) return forward(rank);
  return route_up_down(fabric, *rank, options, "updn");
}

}  // namespace weft
