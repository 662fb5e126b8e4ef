// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast/lane.h"

#include <algorithm>

#include "base/parallel.h"
#include "fabric/hops.h"
#include "routes/adaptive.h"
#include "routes/next_hops.h"

namespace weft::multicast {
namespace {

// Limit of the roots tried for a master tree, for each of the two orders of roots.
constexpr std::size_t kRootsMax = 24;

/// Adds the turns of the packets for one LID. Packets of this lane at a switch already visited have
/// the same remaining path.
class LidWalker {
 public:
  LidWalker(const Fabric& fabric, const Routes& routes, Vl vl, TrafficSources sources)
      : fabric_(fabric),
        routes_(routes),
        vl_(vl),
        sources_(sources),
        seen_(fabric.switch_count(), 0) {}

  void walk(Lid lid, const NextHops& hops, TurnSet& into) {
    const EndportId owner = fabric_.endport_of(lid);
    if (owner == kNoEndport || fabric_.endport(owner).sw == kNoSwitch) return;
    const Endport& target = fabric_.endport(owner);
    if (sources_ == TrafficSources::kHosts && fabric_.is_switch(target.node)) return;
    const auto channels = hops.channels(lid);
    const auto switches = hops.switches(lid);
    ++stamp_;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      // Switches do not send packets to each other.
      const bool counts =
          sources_ == TrafficSources::kHostsAndSwitches && !fabric_.is_switch(target.node);
      if (!counts && fabric_.endports_at(SwitchId(s)).empty()) continue;
      const Sl sl = routes_.path_sl.sl(SwitchId(s), target.sw, lid);
      if (routes_.sl2vl.common()[sl.value()] != vl_.value()) continue;
      if (routes_.adaptive) {
        walk_choices(SwitchId(s), lid, into);
        continue;
      }
      ChannelId held = kNoChannel;
      SwitchId at(s);
      while (true) {
        const ChannelId next = channels[at.value()];
        if (next == kNoChannel) break;
        if (held != kNoChannel) into.add(held.value(), next.value());
        if (seen_[at.value()] == stamp_) break;
        seen_[at.value()] = stamp_;
        held = next;
        at = switches[at.value()];
      }
    }
  }

 private:
  /// As walk(), for every path that a packet may take with adaptive routing.
  void walk_choices(SwitchId from, Lid lid, TurnSet& into) {
    std::vector<SwitchId> open;
    const auto enter = [&](SwitchId at) {
      if (seen_[at.value()] == stamp_) return;
      seen_[at.value()] = stamp_;
      open.push_back(at);
    };
    const auto for_each_channel = [&](SwitchId at, const auto& body) {
      for_each_choice(routes_.lfts, &*routes_.adaptive, at, lid, [&](PortNum port) {
        const ChannelId channel = port == kNoRoute ? kNoChannel : fabric_.channel_at(at, port);
        if (channel != kNoChannel) body(channel);
      });
    };
    enter(from);
    while (!open.empty()) {
      const SwitchId at = open.back();
      open.pop_back();
      for_each_channel(at, [&](ChannelId held) {
        const SwitchId next = fabric_.channel(held).to;
        for_each_channel(next,
                         [&](ChannelId requested) { into.add(held.value(), requested.value()); });
        enter(next);
      });
    }
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const Vl vl_;
  const TrafficSources sources_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
};

/// Switches of a part by sum of hops to all demands, ascending.
std::vector<SwitchId> nearest_first(const Fabric& fabric, std::span<const SwitchId> part,
                                    std::span<const Demand> demands) {
  std::vector<std::uint64_t> total(fabric.switch_count(), 0);
  for (const Demand& demand : demands) {
    const auto hops = hops_from(fabric, std::span(&demand.sw, 1));
    for (const SwitchId sw : part)
      total[sw.value()] += std::uint64_t{hops[sw.value()]} * demand.weight();
  }
  std::vector<SwitchId> order(part.begin(), part.end());
  std::ranges::stable_sort(order, {}, [&](SwitchId sw) { return total[sw.value()]; });
  return order;
}

/// Switches by the share of their turns that packets make, descending. At the root of up*/down*
/// routes this share is 1.
std::vector<SwitchId> most_turns_first(const Fabric& fabric, std::span<const SwitchId> part,
                                       const TurnSet& unicast, unsigned lanes) {
  std::vector<std::uint64_t> made(fabric.switch_count(), 0);
  for (std::uint32_t v = 0; v < fabric.channel_count() * lanes; ++v)
    unicast.each_out(v, [&](std::uint32_t) {
      ++made[fabric.channel(ChannelId(v / lanes)).to.value()];
      return true;
    });
  const auto per_mille = [&](SwitchId sw) {
    const std::uint64_t degree = fabric.channels_from(sw).size();
    return degree < 2 ? 0 : made[sw.value()] * 1000 / (degree * (degree - 1));
  };
  std::vector<SwitchId> order(part.begin(), part.end());
  std::ranges::stable_sort(order, std::ranges::greater{}, per_mille);
  return order;
}

std::vector<SwitchId> roots_to_try(const Fabric& fabric, std::span<const SwitchId> part,
                                   std::span<const Demand> demands, const TurnSet& unicast,
                                   unsigned lanes) {
  const auto near = nearest_first(fabric, part, demands);
  const auto most_turns = most_turns_first(fabric, part, unicast, lanes);
  std::vector<SwitchId> roots;
  for (std::size_t i = 0; i < near.size() && roots.size() < 2 * kRootsMax; ++i)
    for (const SwitchId sw : {near[i], most_turns[i]})
      if (std::ranges::find(roots, sw) == roots.end()) roots.push_back(sw);
  return roots;
}

/// Finds a tree and adds its turns to `held`. Returns a tree without channels if no tree fits.
Tree find_master(const Fabric& fabric, std::span<const SwitchId> roots,
                 std::span<const Demand> demands, TreeMaker& maker, HeldTurns& held) {
  const auto fits = [&](const Tree& tree) { return maker.add_turns(tree, demands, held); };
  for (const SwitchId root : roots) {
    const auto hops = hops_from(fabric, std::span(&root, 1));
    Tree tree = maker.shortest(root, hops, demands, 0);
    if (fits(tree)) return tree;
  }
  for (const SwitchId root : roots) {
    Tree tree = maker.breadth_first_tree(root, demands, held);
    if (!tree.down.empty() && fits(tree)) return tree;
  }
  return {};
}

}  // namespace

TurnSet unicast_turns(const Fabric& fabric, const Routes& routes, const Turns& turns, Vl vl,
                      TrafficSources sources, unsigned threads) {
  const PortMap map(fabric);
  const std::size_t blocks = lid_blocks(fabric);
  const std::size_t workers = threads == 0 ? hardware_threads() : threads;
  const std::size_t share = (blocks + workers - 1) / workers;
  std::vector<TurnSet> found((blocks + share - 1) / share, TurnSet(turns));
  parallel_for(found.size(), threads, [&](std::size_t w) {
    NextHops hops(map);
    LidWalker walker(fabric, routes, vl, sources);
    for (std::size_t block = w * share; block < std::min(blocks, (w + 1) * share); ++block) {
      hops.load(routes.lfts, block);
      for (std::size_t lid = block * kLftBlock; lid < (block + 1) * kLftBlock; ++lid)
        walker.walk(Lid(static_cast<std::uint16_t>(lid)), hops, found[w]);
    }
  });
  for (std::size_t w = 1; w < found.size(); ++w) found[0].add(found[w]);
  return std::move(found[0]);
}

std::optional<Lane> make_lane(const Fabric& fabric, const Turns& turns, const TurnSet& unicast,
                              std::optional<SlLanes> lanes,
                              std::span<const std::vector<SwitchId>> parts,
                              std::span<const std::vector<Demand>> demands, TreeMaker& maker) {
  const unsigned count = lanes ? lanes->lanes() : 1;
  AcyclicTurns graph(turns, unicast);
  Lane lane{lanes ? HeldTurns(std::move(graph), std::move(*lanes)) : HeldTurns(std::move(graph)),
            {}};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    lane.masters.emplace_back();
    if (demands[p].empty()) continue;
    if (demands[p].size() == 1) {
      lane.masters.back().root = demands[p].front().sw;
      continue;
    }
    const auto roots = roots_to_try(fabric, parts[p], demands[p], unicast, count);
    lane.masters.back() = find_master(fabric, roots, demands[p], maker, lane.held);
    if (lane.masters.back().down.empty()) return std::nullopt;
  }
  return lane;
}

}  // namespace weft::multicast
