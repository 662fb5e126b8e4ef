#include "routing/dnup.h"

#include <algorithm>

#include "base/parallel.h"
#include "routing/shared/ranks.h"
#include "routing/updn.h"

namespace weft {
namespace {

/// Ranks as up*/down* wants them, the top being 0: farthest from hosts, then nearest to the central
/// switch of the part. One rank for each combination that there is.
std::vector<std::uint16_t> ranks_by_hosts(const Fabric& fabric, unsigned threads) {
  std::vector<SwitchId> leaves;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    if (!fabric.endports_at(SwitchId(s)).empty()) leaves.push_back(SwitchId(s));
  const auto from_hosts = hops_from(fabric, leaves);
  const auto facts = centralities(fabric, threads);
  std::vector<SwitchId> centers;
  for (const auto& part : components(fabric)) centers.push_back(central_switch(part, facts));
  const auto from_center = hops_from(fabric, centers);

  const auto key = [&](std::size_t s) {
    return std::pair(kNoRank - from_hosts[s], from_center[s]);
  };
  std::vector<std::pair<int, std::uint16_t>> keys;
  for (std::size_t s = 0; s < from_hosts.size(); ++s) keys.push_back(key(s));
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::uint16_t> rank;
  for (std::size_t s = 0; s < from_hosts.size(); ++s)
    rank.push_back(
        static_cast<std::uint16_t>(std::ranges::lower_bound(keys, key(s)) - keys.begin()));
  return rank;
}

}  // namespace

Result<Routes> route_dnup(const Fabric& fabric, const RoutingOptions& options) {
  const unsigned threads =
      threads_worth(std::uint64_t{fabric.switch_count()} * fabric.channel_count(), options.threads);
  const auto rank = ranks_by_hosts(fabric, threads);
  if (const auto gap = gap_between_hosts(fabric, rank, options))
    return fail(Code::kUnroutable, "with ranks from the hosts there is no legal path from {} to {}",
                describe(fabric.node(gap->first)), describe(fabric.node(gap->second)));
  return route_up_down(fabric, rank, options, "dnup");
}

}  // namespace weft
