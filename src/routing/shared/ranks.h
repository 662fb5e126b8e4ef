// Ranks: how far a switch is from the roots of the fabric; what up*/down* calls up and down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/hops.h"

namespace weft {

/// A rank is hops_from(fabric, roots).
inline constexpr std::uint16_t kNoRank = kNoHops;

/// The parts of the fabric that no cable joins: the switches of each, in order of id.
std::vector<std::vector<SwitchId>> components(const Fabric& fabric);

/// Hosts at each switch: what tells leaves from spines. Aggregation nodes, of which every switch
/// may have one, count only where there is nothing else.
std::vector<std::uint32_t> count_hosts(const Fabric& fabric);

/// How a switch lies among the hosts of its part, as count_hosts() has them.
struct Centrality {
  std::uint16_t dominant =
      kNoRank;  // the distance of nearly all hosts, or kNoRank where none stands out
  std::uint16_t farthest = kNoRank;  // distance of the farthest host
  std::uint64_t total = 0;           // sum of distances to hosts
  std::uint32_t hosts = 0;           // at the switch itself
};
std::vector<Centrality> centralities(const Fabric& fabric, unsigned threads);
/// Steps, as threads_worth() has them, of a search like this from all switches, 64 at once.
inline std::uint64_t steps_of_searches(const Fabric& fabric) {
  return std::uint64_t{fabric.switch_count()} * fabric.channel_count() / 16;
}

/// Root switches of one part by the histogram of distances to CAs: those that nearly all hosts are
/// equally far from, and nearest. May be empty. Source: opensm(8), "UPDN Routing Algorithm",
/// stage 1.
std::vector<SwitchId> detect_roots(std::span<const SwitchId> part,
                                   std::span<const Centrality> facts);

/// The switches of a part that hold at least half as many hosts as any other does: on a tree its
/// leaves, though some host may hang at a spine.
std::vector<SwitchId> full_leaves(std::span<const SwitchId> part,
                                  std::span<const Centrality> facts);

/// The one switch to rank all others of its part from, which gives every pair of them a legal path:
/// the full leaf least far from its farthest host, then from all hosts, then of the lowest id.
/// Ranked from a leaf of a tree, its spines are level, so that all of them carry what goes from
/// leaf to leaf; ranked from one of the spines, the others would lie below the leaves and carry
/// nothing.
SwitchId central_switch(std::span<const SwitchId> part, std::span<const Centrality> facts);

/// Ranks of a part from its central switch, kNoRank elsewhere: hops, or where cables join most of
/// the full leaves with others of them, so that there are no levels, a rank for each switch. The
/// next is then the one that most cables join to those before it, among such the first by `ids`, or
/// in a random order: so switches have about as many ways up as down, and fewer turns are down and
/// up again than with ranks by hops (a quarter of all instead of a third on a random graph).
std::vector<std::uint16_t> ranks_around(const Fabric& fabric, std::span<const SwitchId> part,
                                        std::span<const Centrality> facts,
                                        std::span<const std::uint32_t> ids);

/// True where the channel goes up: toward a lower rank, or between equals toward the lower id, or
/// with `ids` (RoutingOptions::switch_rank) toward the lower of these.
inline bool goes_up(const Channel& channel, std::span<const std::uint16_t> rank,
                    std::span<const std::uint32_t> ids = {}) {
  const std::uint16_t from = rank[channel.from.value()];
  const std::uint16_t to = rank[channel.to.value()];
  if (to != from) return to < from;
  return ids.empty() ? channel.to < channel.from
                     : ids[channel.to.value()] < ids[channel.from.value()];
}

}  // namespace weft
