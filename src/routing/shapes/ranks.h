// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The rank of a switch: its distance from the roots of the fabric. Ranks define up and down for
// up*/down*. Also the data from which ranks are computed: connected parts, numbers of hosts,
// distances to hosts, roots and leaves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/hops.h"

namespace weft {

/// Rank of a switch without a path to a root; ranks are the result of hops_from(fabric, roots).
inline constexpr std::uint16_t kNoRank = kNoHops;

/// The connected parts of the fabric: the switches of each part, in order of id.
std::vector<std::vector<SwitchId>> switches_by_part(const Fabric& fabric);

/// Number of hosts at each switch, which distinguishes leaves from spines. Aggregation nodes, of
/// which every switch may have one, are counted only if no switch of the fabric has other hosts.
std::vector<std::uint32_t> count_hosts(const Fabric& fabric);

/// Distances of a switch to the hosts of its part, as counted by count_hosts().
struct Centrality {
  std::uint16_t dominant =
      kNoRank;  // the distance of nearly all hosts, or kNoRank if there is none
  std::uint16_t farthest = kNoRank;  // distance of the farthest host
  std::uint64_t total = 0;           // sum of distances to hosts
  std::uint32_t hosts = 0;           // at the switch itself
};
std::vector<Centrality> centralities(const Fabric& fabric, unsigned threads);
/// Cost of breadth-first searches from all switches, 64 at once, in the units of threads_worth().
inline std::uint64_t steps_of_searches(const Fabric& fabric) {
  return std::uint64_t{fabric.switch_count()} * fabric.channel_count() / 16;
}

/// Root switches of one part by the histogram of distances to CAs: of the switches at equal
/// distance from nearly all hosts, those with the smallest such distance. May be empty. Source:
/// opensm(8), "UPDN Routing Algorithm", stage 1.
std::vector<SwitchId> detect_roots(std::span<const SwitchId> part,
                                   std::span<const Centrality> facts);

/// The switches of a part with at least half as many hosts as any other switch: the leaves of a
/// tree, even if some hosts are attached to a spine.
std::vector<SwitchId> full_leaves(std::span<const SwitchId> part,
                                  std::span<const Centrality> facts);

/// The switch from which to rank the switches of a part such that every pair of switches has a
/// legal path: the full leaf with the least distance to its farthest host, then the least sum of
/// distances to hosts, then the lowest id. Ranks from a leaf put the spines of a tree on one level,
/// so all of them carry traffic between leaves; ranks from a spine would put the other spines below
/// the leaves, without traffic.
SwitchId central_switch(std::span<const SwitchId> part, std::span<const Centrality> facts);

/// Ranks of a part from its central switch; kNoRank elsewhere. A rank is the number of hops from
/// the central switch. If most full leaves are cabled to other full leaves, so that there are no
/// levels, each switch has a separate rank instead. The next switch is the switch with most cables
/// to the switches that have a rank; ties are in the order of `ids`, or random. Then switches have
/// about as many up channels as down channels, and fewer turns are from down to up than with ranks
/// by hops: a quarter of all turns on a random graph instead of a third.
std::vector<std::uint16_t> ranks_around(const Fabric& fabric, std::span<const SwitchId> part,
                                        std::span<const Centrality> facts,
                                        std::span<const std::uint32_t> ids);

/// Ranks for given lowest switches. The switches farthest from these have rank 0; switches at equal
/// distance are ranked by their value in `ties`. Each combination of distance and value that occurs
/// has one rank.
std::vector<std::uint16_t> ranks_above(const Fabric& fabric, std::span<const SwitchId> lowest,
                                       std::span<const std::uint16_t> ties);

/// Whether the channel is an up channel. An up channel leads to a lower rank. Between equal ranks,
/// it leads to the lower switch id, or to the lower value of `ids` (RoutingOptions::switch_rank) if
/// given.
inline bool goes_up(const Channel& channel, std::span<const std::uint16_t> rank,
                    std::span<const std::uint32_t> ids = {}) {
  const std::uint16_t from = rank[channel.from.value()];
  const std::uint16_t to = rank[channel.to.value()];
  if (to != from) return to < from;
  return ids.empty() ? channel.to < channel.from
                     : ids[channel.to.value()] < ids[channel.from.value()];
}

}  // namespace weft
