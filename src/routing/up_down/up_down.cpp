// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/up_down/up_down.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/parallel.h"
#include "routing/balance/spread.h"
#include "routing/balance/weighted.h"
#include "routing/reweight/tables.h"
#include "routing/shapes/levels.h"
#include "routing/shapes/ranks.h"
#include "routing/tables/destinations.h"
#include "routing/tables/remaining_switches.h"
#include "routing/trees/tree_form.h"

namespace weft {
namespace {

/// The channels of one direction, up or down, by the switch that they leave.
struct Side {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> channel;  // ascending within a switch
  std::vector<std::uint32_t> to;

  std::span<const std::uint32_t> channels_from(std::uint32_t sw) const { return of(channel, sw); }
  std::span<const std::uint32_t> neighbors_of(std::uint32_t sw) const { return of(to, sw); }

 private:
  std::span<const std::uint32_t> of(const std::vector<std::uint32_t>& all, std::uint32_t sw) const {
    return {all.data() + begin.data()[sw], begin.data()[sw + 1] - begin.data()[sw]};
  }
};

struct UpDown {
  Side up;
  Side down;
  std::vector<std::uint32_t> top_down;  // all switches, heads of up channels before their tails
};

UpDown split(const Fabric& fabric, std::span<const std::uint16_t> rank,
             std::span<const std::uint32_t> ids) {
  UpDown sides;
  const auto channels = fabric.channels();
  std::uint32_t id = 0;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    for (; id < channels.size() && channels[id].from.value() == s; ++id) {
      Side& side = goes_up(channels[id], rank, ids) ? sides.up : sides.down;
      side.channel.push_back(id);
      side.to.push_back(channels[id].to.value());
    }
    for (Side* side : {&sides.up, &sides.down})
      side->begin.push_back(static_cast<std::uint32_t>(side->channel.size()));
    sides.top_down.push_back(s);
  }
  std::ranges::stable_sort(sides.top_down, {}, [&](std::uint32_t s) {
    return std::pair(rank[s], ids.empty() ? s : ids[s]);
  });
  return sides;
}

/// With weighted hops, a hop count is the position of the path length in the sorted lengths.
struct Hops {
  std::vector<std::uint16_t> hops;        // by switch: hops of its legal path
  std::vector<std::uint32_t> descending;  // switches that use down hops only, nearest first
  std::vector<std::uint8_t> descends;     // by switch: 1 if it is in `descending`
  std::vector<std::uint64_t> length;      // by switch: path length, with weighted hops only
};

std::uint16_t nearest_above(const UpDown& sides, const std::uint16_t* hops, std::uint32_t sw) {
  std::uint16_t nearest = HopDag::kUnreached;
  for (const std::uint32_t above : sides.up.neighbors_of(sw))
    nearest = std::min(nearest, hops[above]);
  return nearest;
}

/// The hops of the legal paths to the destination. Forwarding depends on the destination only, not
/// on the input port. Therefore a switch on the down path of a switch above it must use a path of
/// down hops only, even if an up hop would result in a shorter path; otherwise packets would go up
/// after they went down.
Hops legal_hops(const UpDown& sides, SwitchId destination) {
  Hops result;
  result.hops.assign(sides.top_down.size(), HopDag::kUnreached);
  result.descends.assign(sides.top_down.size(), 0);
  result.descending.resize(sides.top_down.size() + 1);
  // Local copies, so that the compiler need not reload the pointers after each store. The
  // inner loops have no branches, because the processor could not predict the branches.
  std::uint16_t* const hops = result.hops.data();
  std::uint8_t* const descends = result.descends.data();
  std::uint32_t* const queue = result.descending.data();
  hops[destination.value()] = 0;
  descends[destination.value()] = 1;
  queue[0] = destination.value();
  // Finds the switches with paths of down hops only, breadth first from the destination, against
  // the down channels.
  std::size_t tail = 1;  // the last element receives writes that are not counted
  for (std::size_t head = 0; head < tail; ++head) {
    const std::uint32_t sw = queue[head];
    const auto there = static_cast<std::uint16_t>(hops[sw] + 1);
    for (const std::uint32_t above : sides.up.neighbors_of(sw)) {
      queue[tail] = above;
      tail += descends[above] == 0 ? 1 : 0;
      hops[above] = std::min(hops[above], there);
      descends[above] = 1;
    }
  }
  result.descending.resize(tail);
  // Other switches forward up, to the neighbor with the shortest path. A switch that no down path
  // passes through also forwards up if that path is shorter. Switches above are computed first.
  std::vector<std::uint8_t> passed_by(sides.top_down.size(), 0);
  std::uint8_t* const passed = passed_by.data();
  passed[destination.value()] = 1;
  for (const std::uint32_t sw : sides.top_down) {
    if ((descends[sw] & passed[sw]) == 0) {
      const std::uint16_t nearest = nearest_above(sides, hops, sw);
      if (nearest != HopDag::kUnreached && nearest + 1 < hops[sw]) {
        hops[sw] = static_cast<std::uint16_t>(nearest + 1);
        descends[sw] = 0;
      }
    }
    if (descends[sw] == 0) continue;
    const std::uint32_t here = hops[sw];
    for (const std::uint32_t below : sides.down.neighbors_of(sw))
      passed[below] |= hops[below] + 1u == here ? 1 : 0;
  }
  std::erase_if(result.descending, [&](std::uint32_t sw) { return descends[sw] == 0; });
  return result;
}

/// Computes the lengths of the legal paths with weighted hops. The path of a switch in `descends`
/// is the shortest path of down hops, computed from the destination up. The path of every other
/// switch begins with the up hop of the shortest path, computed from the top down.
void weigh(const UpDown& sides, std::span<const std::uint64_t> weights, SwitchId destination,
           Hops& legal) {
  legal.length.assign(sides.top_down.size(), kNoLength);
  legal.length[destination.value()] = 0;
  const auto lightest = [&](std::uint32_t sw, const Side& side) {
    for (std::uint32_t i = side.begin[sw]; i < side.begin[sw + 1]; ++i) {
      const std::uint32_t to = side.to[i];
      if (legal.length[to] == kNoLength || (&side == &sides.down && !legal.descends[to])) continue;
      legal.length[sw] = std::min(legal.length[sw], legal.length[to] + weights[side.channel[i]]);
    }
  };
  for (std::size_t i = sides.top_down.size(); i-- > 0;)
    if (const std::uint32_t sw = sides.top_down[i]; legal.descends[sw] && sw != destination.value())
      lightest(sw, sides.down);
  for (const std::uint32_t sw : sides.top_down)
    if (!legal.descends[sw]) lightest(sw, sides.up);
  legal.hops = positions_of_lengths(legal.length);
}

constexpr std::size_t kDestinationsAtOnce = 64;  // of one search; each has one bit of a word

/// By switch: bit i is set if the switch has a legal path to destination i. There are at most 64
/// destinations.
std::vector<std::uint64_t> find_reachable(const UpDown& sides,
                                          std::span<const SwitchId> destinations) {
  std::vector<std::uint64_t> reachable(sides.top_down.size(), 0);
  for (std::size_t i = 0; i < destinations.size(); ++i)
    reachable[destinations[i].value()] = std::uint64_t{1} << i;
  const auto gather = [&](std::uint32_t sw, const Side& side) {
    std::uint64_t bits = reachable[sw];
    for (std::uint32_t i = side.begin[sw]; i < side.begin[sw + 1]; ++i)
      bits |= reachable[side.to[i]];
    reachable[sw] = bits;
  };
  for (std::size_t i = sides.top_down.size(); i-- > 0;) gather(sides.top_down[i], sides.down);
  for (const std::uint32_t sw : sides.top_down) gather(sw, sides.up);
  return reachable;
}

/// Adds the switches without a legal path, which are spines without hosts, with next hops to the
/// neighbors that are nearest to the destination. These paths go up after going down. Option
/// connect_roots requests them. Only packets of these switches use such paths, since no legal path
/// passes through these switches.
void connect_the_rest(const Fabric& fabric, std::vector<std::uint16_t>& hops, HopDag& dag) {
  std::vector<std::vector<std::uint32_t>> level;
  const auto at_level = [&](std::uint32_t sw) {
    if (hops[sw] >= level.size()) level.resize(std::size_t{hops[sw]} + 1);
    level[hops[sw]].push_back(sw);
  };
  std::vector<std::uint32_t> rest;
  for (std::uint32_t s = 0; s < hops.size(); ++s)
    if (hops[s] != HopDag::kUnreached) at_level(s);
  for (std::size_t distance = 0; distance < level.size(); ++distance)
    for (std::size_t i = 0; i < level[distance].size(); ++i)
      for (const Channel& channel : fabric.channels_from(SwitchId(level[distance][i])))
        if (std::uint16_t& to = hops[channel.to.value()]; to == HopDag::kUnreached) {
          to = static_cast<std::uint16_t>(distance + 1);
          rest.push_back(channel.to.value());
          at_level(channel.to.value());
        }
  for (const std::uint32_t sw : rest) {
    dag.add_switch(sw, hops[sw]);
    std::uint32_t id = fabric.first_channel(SwitchId(sw)).value();
    for (const Channel& channel : fabric.channels_from(SwitchId(sw))) {
      if (hops[channel.to.value()] + 1 == hops[sw]) dag.add_next_hop(id, channel.to.value());
      ++id;
    }
  }
}

void make_updn_dag(const Fabric& fabric, const UpDown& sides, const UpDownOptions& options,
                   SwitchId destination, HopDag& dag) {
  Hops legal = legal_hops(sides, destination);
  const auto& weights = options.hop_weights;
  if (!weights.empty()) weigh(sides, weights, destination, legal);
  const std::uint16_t* const hops = legal.hops.data();
  const std::uint8_t* const descends = legal.descends.data();
  const auto add = [&](std::uint32_t sw, const Side& side, const auto& allowed) {
    dag.add_switch(sw, hops[sw]);
    const std::uint32_t here = hops[sw];
    const auto is_next_hop = [&](std::uint32_t, std::uint32_t to) {
      return (hops[to] + 1u == here) & allowed(to);
    };
    const auto is_lightest = [&](std::uint32_t channel, std::uint32_t to) {
      return allowed(to) && legal.length[to] != kNoLength &&
             legal.length[to] + weights[channel] == legal.length[sw];
    };
    if (weights.empty())
      dag.add_next_hops(side.channels_from(sw), side.neighbors_of(sw), is_next_hop);
    else
      dag.add_next_hops(side.channels_from(sw), side.neighbors_of(sw), is_lightest);
  };
  dag.start(destination);
  for (const std::uint32_t sw : std::span(legal.descending).subspan(1))
    add(sw, sides.down, [&](std::uint32_t to) { return descends[to] != 0; });
  for (const std::uint32_t sw : sides.top_down)
    if (descends[sw] == 0 && hops[sw] != HopDag::kUnreached)
      add(sw, sides.up, [](std::uint32_t) { return true; });
  if (options.connect_roots) connect_the_rest(fabric, legal.hops, dag);
  dag.finish();
}

}  // namespace

std::optional<std::pair<SwitchId, SwitchId>> leaves_without_path_in(
    const Fabric& fabric, std::span<const SwitchId> part, std::span<const std::uint16_t> rank,
    std::span<const std::uint32_t> ids, unsigned threads) {
  std::vector<SwitchId> leaves;
  for (const SwitchId sw : part)
    if (!fabric.endports_at(sw).empty()) leaves.push_back(sw);
  const UpDown sides = split(fabric, rank, ids);
  std::vector<SwitchId> without(leaves.size(), kNoSwitch);
  parallel_blocks(
      leaves.size(), kDestinationsAtOnce, threads, [&](std::size_t begin, std::size_t end) {
        const auto reachable = find_reachable(sides, std::span(leaves).subspan(begin, end - begin));
        for (std::size_t i = begin; i < end; ++i) {
          const auto found = std::ranges::find_if(leaves, [&](SwitchId from) {
            return (reachable[from.value()] >> (i - begin) & 1) == 0;
          });
          if (found != leaves.end()) without[i] = *found;
        }
      });
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (without[i] != kNoSwitch) return std::pair(without[i], leaves[i]);
  return std::nullopt;
}

std::vector<std::uint16_t> tree_ranks(const Fabric& fabric) {
  const auto level = ftree::level_switches(fabric, {}, ftree::find_compute_nodes(fabric));
  if (!level || std::ranges::find(*level, ftree::kNoLevel) != level->end()) return {};
  return ftree::ranks_of(*level);
}

reweight::Candidates up_down_candidates(const Fabric& fabric, std::span<const std::uint16_t> rank,
                                        const UpDownOptions& options) {
  return [&fabric, options,
          sides = std::make_shared<const UpDown>(split(fabric, rank, options.switch_rank))](
             SwitchId to, HopDag& dag) { make_updn_dag(fabric, *sides, options, to, dag); };
}

Routes route_up_down(const Fabric& fabric, std::span<const std::uint16_t> rank,
                     const UpDownOptions& options, std::string_view engine) {
  Routes routes;
  routes.engine = engine;
  auto closed_form = tree_form(fabric, options, rank);
  if (!closed_form || options.reweight > 0) {
    const auto order = destinations(fabric, options.order);
    const auto candidates = up_down_candidates(fabric, rank, options);
    routes.lfts =
        closed_form ? std::move(*closed_form) : spread(fabric, order, candidates, options);
    reweight::store_before_passes(routes, options.reweight, options.before_passes);
    reweight::reweigh_tables(fabric, order, candidates, options, options.reweight, routes.lfts,
                             closed_form ? reweight::Begin::kPattern : reweight::Begin::kBalanced);
  } else {
    routes.lfts = std::move(*closed_form);
  }
  connect_remaining_switches(fabric, options.threads, routes.lfts);
  if (options.before_passes != nullptr && *options.before_passes)
    connect_remaining_switches(fabric, options.threads, (*options.before_passes)->lfts);
  return routes;
}

std::optional<std::pair<SwitchId, SwitchId>> leaves_without_path(
    const Fabric& fabric, std::span<const std::uint16_t> rank, std::span<const std::uint32_t> ids,
    unsigned threads) {
  threads = threads_worth(steps_of_searches(fabric), threads);
  for (const auto& part : switches_by_part(fabric))
    if (const auto gap = leaves_without_path_in(fabric, part, rank, ids, threads)) return gap;
  return std::nullopt;
}

}  // namespace weft
