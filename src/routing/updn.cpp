#include "routing/updn.h"

#include <algorithm>
#include <optional>

#include "routing/shared/destinations.h"
#include "routing/shared/ranks.h"
#include "routing/shared/spread.h"

namespace weft {
namespace {

struct Hops {
  std::vector<std::uint16_t> hops;         // of the legal path that the switch takes
  std::vector<bool> descends;              // its path goes down all the way
  std::vector<std::uint32_t> by_distance;  // switches that have a path, nearest first
};

/// Forwarding knows the destination only, not where a packet came from. So that a packet which came
/// down is never sent up again, a switch that can go down all the way does so, even where turning
/// up would be shorter.
Hops legal_hops(const Fabric& fabric, std::span<const std::uint16_t> rank, SwitchId destination) {
  Hops result;
  result.hops.assign(fabric.switch_count(), HopDag::kUnreached);
  result.descends.assign(fabric.switch_count(), false);
  std::vector<std::uint32_t> queue{destination.value()};
  result.hops[destination.value()] = 0;
  result.descends[destination.value()] = true;
  // Who can go down: against the channels that go down, which is up from the destination.
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Channel& channel : fabric.channels_from(SwitchId(queue[head])))
      if (std::uint16_t& to = result.hops[channel.to.value()];
          to == HopDag::kUnreached && goes_up(channel, rank)) {
        to = static_cast<std::uint16_t>(result.hops[queue[head]] + 1);
        result.descends[channel.to.value()] = true;
        queue.push_back(channel.to.value());
      }
  // The others go up to one that can, level by level: queue and frontier are both sorted by hops.
  std::vector<std::vector<std::uint32_t>> level;
  const auto at_level = [&](std::uint32_t sw) {
    if (result.hops[sw] >= level.size()) level.resize(std::size_t{result.hops[sw]} + 1);
    level[result.hops[sw]].push_back(sw);
  };
  for (const std::uint32_t sw : queue) at_level(sw);
  for (std::size_t distance = 0; distance < level.size(); ++distance)
    for (std::size_t i = 0; i < level[distance].size(); ++i) {
      const std::uint32_t sw = level[distance][i];
      result.by_distance.push_back(sw);
      for (const Channel& channel : fabric.channels_from(SwitchId(sw)))
        if (result.hops[channel.to.value()] == HopDag::kUnreached && !goes_up(channel, rank)) {
          result.hops[channel.to.value()] = static_cast<std::uint16_t>(distance + 1);
          at_level(channel.to.value());
        }
    }
  return result;
}

/// Two switches of a part with hosts, the first of which has no legal path to the second.
std::optional<std::pair<SwitchId, SwitchId>> cut_off(const Fabric& fabric,
                                                     std::span<const SwitchId> part,
                                                     std::span<const std::uint16_t> rank) {
  for (const SwitchId to : part) {
    if (fabric.endports_at(to).empty()) continue;
    const Hops legal = legal_hops(fabric, rank, to);
    for (const SwitchId from : part)
      if (legal.hops[from.value()] == HopDag::kUnreached && !fabric.endports_at(from).empty())
        return std::pair(from, to);
  }
  return std::nullopt;
}

/// Ranks of every switch, part by part.
Result<std::vector<std::uint16_t>> rank_switches(const Fabric& fabric,
                                                 const RoutingOptions& options) {
  const auto facts = centralities(fabric, options.threads);
  std::vector<std::uint16_t> result(fabric.switch_count(), kNoRank);
  for (const auto& part : components(fabric)) {
    std::vector<SwitchId> roots;
    for (const SwitchId root : options.roots)
      if (std::ranges::binary_search(part, root)) roots.push_back(root);
    const bool given = !roots.empty();
    if (!given) roots = detect_roots(part, facts);
    auto rank = ranks_from(fabric, roots);
    const auto gap = cut_off(fabric, part, rank);
    if (gap && given)
      return fail(Code::kUnroutable, "with the given roots there is no up/down path from {} to {}",
                  describe(fabric.node(gap->first)), describe(fabric.node(gap->second)));
    if (gap || roots.empty()) {
      const SwitchId center[] = {central_switch(part, facts)};
      rank = ranks_from(fabric, center);
    }
    for (const SwitchId sw : part) result[sw.value()] = rank[sw.value()];
  }
  return result;
}

/// Gives the switches without a legal path, which are spines without hosts, the way to a nearest
/// neighbour that has one. Turns up again on it: asked for by connect_roots, for the packets of
/// switches only, since nobody with a legal path sends over these switches.
void connect_the_rest(const Fabric& fabric, Hops& hops, std::vector<bool>& connected) {
  std::vector<std::vector<std::uint32_t>> level;
  const auto at_level = [&](std::uint32_t sw) {
    if (hops.hops[sw] >= level.size()) level.resize(std::size_t{hops.hops[sw]} + 1);
    level[hops.hops[sw]].push_back(sw);
  };
  for (const std::uint32_t sw : hops.by_distance) at_level(sw);
  for (std::size_t distance = 0; distance < level.size(); ++distance)
    for (std::size_t i = 0; i < level[distance].size(); ++i) {
      const std::uint32_t sw = level[distance][i];
      if (connected[sw]) hops.by_distance.push_back(sw);
      for (const Channel& channel : fabric.channels_from(SwitchId(sw)))
        if (hops.hops[channel.to.value()] == HopDag::kUnreached) {
          hops.hops[channel.to.value()] = static_cast<std::uint16_t>(distance + 1);
          connected[channel.to.value()] = true;
          at_level(channel.to.value());
        }
    }
}

void make_updn_dag(const Fabric& fabric, std::span<const std::uint16_t> rank, bool connect_roots,
                   SwitchId destination, HopDag& dag) {
  Hops legal = legal_hops(fabric, rank, destination);
  std::vector<bool> connected(fabric.switch_count(), false);
  if (connect_roots) connect_the_rest(fabric, legal, connected);
  dag.rebuild(fabric, legal.hops, legal.by_distance, [&](const Channel& channel) -> bool {
    if (connected[channel.from.value()]) return true;
    // Down only to one that goes on down; up only where there is no way down.
    if (goes_up(channel, rank)) return !legal.descends[channel.from.value()];
    return legal.descends[channel.to.value()];
  });
}

}  // namespace

Result<Routes> route_updn(const Fabric& fabric, const RoutingOptions& options) {
  const auto rank = rank_switches(fabric, options);
  if (!rank) return forward(rank);
  Routes routes;
  routes.engine = "updn";
  const auto order = destinations(fabric, options.order);
  routes.lfts = spread(
      fabric, order,
      [&](SwitchId to, HopDag& dag) {
        make_updn_dag(fabric, *rank, options.connect_roots, to, dag);
      },
      options);
  return routes;
}

}  // namespace weft
