#include "routing/multicast.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/check.h"
#include "fabric/hops.h"
#include "routing/adaptive/engines.h"
#include "routing/deadlock/lanes.h"
#include "routing/multicast/lane.h"
#include "routing/multicast/laned_unicast.h"
#include "routing/multicast/tree.h"
#include "routing/shapes/ranks.h"
#include "routing/torus_2qos/multicast.h"

namespace weft {
namespace {

using multicast::Demand;
using multicast::Lane;
using multicast::Load;
using multicast::SlLanes;
using multicast::Traffic;
using multicast::TrafficSources;
using multicast::Tree;
using multicast::TreeMaker;

// Roots tried for a group, and trees among which the load decides with nue.
constexpr std::size_t kRootsMax = 8;
constexpr std::size_t kUnreachedNamed = 8;
constexpr unsigned kVlsMax = 15;

Status check(std::span<const MulticastGroup> groups) {
  std::set<Lid> seen;
  for (const MulticastGroup& group : groups) {
    if (!is_multicast(group.mlid))
      return fail(Code::kBadInput, "0x{:04X} is no multicast LID, expected 0xC000 to 0xFFFE",
                  group.mlid.value());
    if (!seen.insert(group.mlid).second)
      return fail(Code::kBadInput, "multicast LID 0x{:04X} is given twice", group.mlid.value());
  }
  return {};
}

/// Members by switch and by part of the fabric.
class Membership {
 public:
  explicit Membership(const Fabric& fabric)
      : fabric_(fabric), parts_(components(fabric)), part_of_(fabric.switch_count()) {
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (const SwitchId sw : parts_[p]) part_of_[sw.value()] = p;
  }

  std::span<const std::vector<SwitchId>> parts() const { return parts_; }

  /// By part, in order of switch; members without a switch are left out.
  std::vector<std::vector<Demand>> of(const MulticastGroup& group) const {
    std::map<SwitchId, Demand> at;
    const auto add = [&](EndportId id, std::uint32_t receivers) {
      const SwitchId sw = fabric_.endport(id).sw;
      if (sw == kNoSwitch) return;
      Demand& demand = at[sw];
      demand.sw = sw;
      demand.receivers += receivers;
      ++demand.senders;
    };
    for (const EndportId id : group.members) add(id, 1);
    for (const EndportId id : group.senders) add(id, 0);
    std::vector<std::vector<Demand>> result(parts_.size());
    for (const auto& [sw, demand] : at) result[part_of_[sw.value()]].push_back(demand);
    return result;
  }

  /// Every switch with hosts, and those that are members themselves.
  std::vector<std::vector<Demand>> with_all_hosts(std::span<const MulticastGroup> groups) const {
    MulticastGroup all;
    std::set<EndportId> members;
    for (std::uint32_t e = fabric_.switch_count(); e < fabric_.endport_count(); ++e)
      members.insert(EndportId(e));
    for (const MulticastGroup& group : groups)
      for (const auto* list : {&group.members, &group.senders})
        members.insert(list->begin(), list->end());
    all.members.assign(members.begin(), members.end());
    return of(all);
  }

 private:
  const Fabric& fabric_;
  std::vector<std::vector<SwitchId>> parts_;
  std::vector<std::size_t> part_of_;  // by switch
};

/// Hops from switches to all others, computed once for each.
class HopRows {
 public:
  explicit HopRows(const Fabric& fabric) : fabric_(fabric), rows_(fabric.switch_count()) {}
  std::span<const std::uint16_t> from(SwitchId sw) {
    auto& row = rows_[sw.value()];
    if (row.empty()) row = hops_from(fabric_, std::span(&sw, 1));
    return row;
  }

 private:
  const Fabric& fabric_;
  std::vector<std::vector<std::uint16_t>> rows_;
};

MulticastGroup all_hosts(const Fabric& fabric) {
  MulticastGroup group;
  for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) group.members.push_back(EndportId(e));
  return group;
}

/// The lane of multicast, and the SL that maps to it.
struct Choice {
  Sl sl{0};
  std::optional<Lane> lane;  // empty: trees are not checked against unicast
  Sl2Vl sl2vl;
  unsigned vls = 1;
  std::vector<std::string> notes;
};

class LaneChooser {
 public:
  LaneChooser(const Fabric& fabric, const Routes& routes, const RoutingOptions& options,
              const Membership& membership, std::span<const MulticastGroup> groups,
              const Turns& turns, std::optional<Turns>& laned_turns, TreeMaker& maker,
              bool all_traffic)
      : fabric_(fabric),
        routes_(routes),
        options_(options),
        membership_(membership),
        demands_(membership.with_all_hosts(groups)),
        turns_(turns),
        laned_turns_(laned_turns),
        maker_(maker),
        all_traffic_(all_traffic) {}

  /// The first SL with a lane that takes a master tree; else one on a lane of its own; else SL 0.
  /// Where packets change lanes on their path, a lane of its own comes first.
  Choice choose() {
    Choice choice{Sl(0), std::nullopt, routes_.sl2vl, routes_.vls, {}};
    if (!routes_.sl2vl.uniform()) {
      if (!open_lane(choice) && !share_lanes(choice)) note_no_tree(choice);
      return choice;
    }
    std::set<std::uint8_t> tried{15};  // VL 15 discards packets
    for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
      const std::uint8_t vl = routes_.sl2vl.common()[sl];
      if (!tried.insert(vl).second) continue;
      bool may_deadlock = false;
      choice.lane = try_lane(Vl(vl), may_deadlock);
      choice.sl = Sl(choice.lane ? sl : std::uint8_t{0});
      if (choice.lane || may_deadlock) return choice;
    }
    if (!open_lane(choice)) note_no_tree(choice);
    return choice;
  }

 private:
  void note_no_tree(Choice& choice) const {
    choice.notes.push_back(fmt::format(
        "no lane of '{}' takes a multicast tree over all hosts: multicast and unicast packets can "
        "deadlock; provide one more VL, or use -R nue or updn",
        routes_.engine));
  }

  /// Packets of switches are included where they close no cycle.
  std::optional<Lane> try_lane(Vl vl, bool& may_deadlock) {
    for (const TrafficSources sources :
         {TrafficSources::kHostsAndSwitches, TrafficSources::kHosts}) {
      const TurnSet unicast =
          multicast::unicast_turns(fabric_, routes_, turns_, vl, sources, options_.threads);
      may_deadlock = !unicast.acyclic();
      if (may_deadlock) continue;
      auto lane = multicast::make_lane(fabric_, turns_, unicast, std::nullopt, membership_.parts(),
                                       demands_, maker_);
      if (lane || all_traffic_) return lane;
    }
    return std::nullopt;
  }

  bool open_lane(Choice& choice) {
    const std::vector<bool> used = vls_named();
    const auto vl = static_cast<std::uint8_t>(std::ranges::find(used, false) - used.begin());
    const auto sl = free_sl();
    if (vl >= lanes_available(fabric_, options_.vls_max) || !sl) return false;
    choice.lane = multicast::make_lane(fabric_, turns_, TurnSet(turns_), std::nullopt,
                                       membership_.parts(), demands_, maker_);
    choice.sl2vl.set_everywhere(*sl, Vl(vl));
    choice.sl = *sl;
    choice.vls = std::max(routes_.vls, vl + 1u);
    choice.notes.push_back(
        fmt::format("multicast uses SL {} and VL {} exclusively: on one lane with the unicast "
                    "packets of '{}' its trees could deadlock",
                    sl->value(), vl, routes_.engine));
    return true;
  }

  /// For packets that change lanes on their path, without a free lane: searches for a tree that
  /// closes no cycle with unicast on all lanes. First with existing SLs, SL 0 before all, then with
  /// an unused one on each VL.
  bool share_lanes(Choice& choice) {
    const std::vector<bool> used = vls_named();
    const auto top = std::ranges::find(used.rbegin(), used.rend(), true);
    const auto lanes = std::max(lanes_available(fabric_, options_.vls_max),
                                static_cast<unsigned>(used.rend() - top));
    laned_turns_.emplace(fabric_, lanes);
    for (const Traffic traffic :
         {Traffic{true, true}, Traffic{true, false}, Traffic{false, true}, Traffic{false, false}}) {
      if (all_traffic_ && !traffic.switches) break;
      const TurnSet unicast = multicast::laned_unicast_turns(fabric_, routes_, *laned_turns_, lanes,
                                                             traffic, options_.threads);
      if (!unicast.acyclic()) continue;
      // As in takes_multicast(), so routes that passed it have a tree for any groups.
      const auto all = membership_.with_all_hosts(std::array{all_hosts(fabric_)});
      return share_lanes(unicast, lanes, all, choice) ||
             (!all_traffic_ && share_lanes(unicast, lanes, demands_, choice));
    }
    return false;
  }

  bool share_lanes(const TurnSet& unicast, unsigned lanes,
                   std::span<const std::vector<Demand>> demands, Choice& choice) {
    const auto takes_tree = [&](const Sl2Vl& maps, Sl sl) {
      auto sl_lanes = SlLanes::find(fabric_, maps, sl, lanes);
      if (!sl_lanes) return false;
      choice.lane = multicast::make_lane(fabric_, *laned_turns_, unicast, std::move(sl_lanes),
                                         membership_.parts(), demands, maker_);
      if (choice.lane) choice.sl = sl;
      return choice.lane.has_value();
    };
    std::set<std::string> tried;  // VLs of an SL by map
    for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
      std::string vls;
      for (const SlMap& map : routes_.sl2vl.maps()) vls.push_back(static_cast<char>(map[sl]));
      if (tried.insert(std::move(vls)).second && takes_tree(routes_.sl2vl, Sl(sl))) return true;
    }
    const auto sl = free_sl();
    if (!sl) return false;
    for (unsigned vl = 0; vl < lanes_available(fabric_, options_.vls_max); ++vl) {
      Sl2Vl maps = routes_.sl2vl;
      maps.set_everywhere(*sl, Vl(static_cast<std::uint8_t>(vl)));
      if (!takes_tree(maps, *sl)) continue;
      choice.sl2vl = std::move(maps);
      choice.vls = std::max(routes_.vls, vl + 1);
      choice.notes.push_back(
          fmt::format("multicast uses SL {} on VL {}: with the unicast packets of '{}' its trees "
                      "could deadlock on SL 0",
                      sl->value(), vl, routes_.engine));
      return true;
    }
    return false;
  }

  std::vector<bool> vls_named() const {
    std::vector<bool> used(kVlsMax, false);
    for (const SlMap& map : routes_.sl2vl.maps())
      for (const std::uint8_t vl : map)
        if (vl < kVlsMax) used[vl] = true;
    return used;
  }

  /// An SL that no path uses.
  std::optional<Sl> free_sl() const {
    std::array<bool, kSlCount> used{};
    for (std::uint32_t value = 1; value <= fabric_.lid_top().value(); ++value) {
      const Lid lid(static_cast<std::uint16_t>(value));
      const EndportId owner = fabric_.endport_of(lid);
      if (owner == kNoEndport || fabric_.endport(owner).sw == kNoSwitch) continue;
      for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
        used[routes_.path_sl.sl(SwitchId(s), fabric_.endport(owner).sw, lid).value()] = true;
    }
    const auto found = std::ranges::find(used, false);
    if (found == used.end()) return std::nullopt;
    return Sl(static_cast<std::uint8_t>(found - used.begin()));
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const RoutingOptions& options_;
  const Membership& membership_;
  const std::vector<std::vector<Demand>> demands_;
  const Turns& turns_;                 // referenced by the lane
  std::optional<Turns>& laned_turns_;  // the same
  TreeMaker& maker_;
  const bool all_traffic_;  // require compatibility with packets of switches too
};

/// Selects a tree for one group after another.
class Planner {
 public:
  Planner(const Fabric& fabric, const Membership& membership, TreeMaker& maker,
          std::optional<Lane> lane, bool by_load)
      : fabric_(fabric),
        membership_(membership),
        maker_(maker),
        rows_(fabric),
        lane_(std::move(lane)),
        load_(by_load ? fabric.channel_count() : 0, 0) {}

  Tree choose(std::size_t part, std::span<const Demand> demands, Lid mlid) {
    const auto roots = nearest(membership_.parts()[part], demands);
    Tree first;
    for (const SwitchId root : roots) {
      Tree tree = maker_.shortest(root, rows_.from(root), demands, mlid.value(),
                                  load_.empty() ? nullptr : &load_);
      if (fits(tree, demands)) return tree;
      if (first.down.empty()) first = std::move(tree);
    }
    if (!lane_) return first;
    Tree tree = maker_.part_of(lane_->masters[part], demands);
    CHECK(fits(tree, demands));  // its turns are held already
    return tree;
  }

  void write(const Tree& tree, std::span<const Demand> demands,
             std::map<SwitchId, PortMask>& masks) {
    const auto carried = maker_.flows(tree, demands);
    const auto use = [&](ChannelId id) {
      const Channel& channel = fabric_.channel(id);
      masks[channel.from].set(channel.from_port.value());
      if (!load_.empty()) ++load_[id.value()];
    };
    for (std::size_t i = 0; i < tree.down.size(); ++i) {
      if (carried[i].first) use(tree.down[i]);
      if (carried[i].second) use(fabric_.channel(tree.down[i]).reverse);
    }
  }

 private:
  bool fits(const Tree& tree, std::span<const Demand> demands) {
    return !lane_ || multicast::add_turns(maker_.turns(tree, demands), lane_->held);
  }

  /// By least sum of hops to all members; among equals by least id, or with load by the least load
  /// of their channels.
  std::vector<SwitchId> nearest(std::span<const SwitchId> part, std::span<const Demand> demands) {
    std::vector<std::uint64_t> total(fabric_.switch_count(), 0);
    for (const Demand& demand : demands) {
      const auto row = rows_.from(demand.sw);
      for (const SwitchId sw : part)
        total[sw.value()] += std::uint64_t{row[sw.value()]} * demand.weight();
    }
    const auto key = [&](SwitchId sw) {
      std::uint64_t busy = 0;
      if (!load_.empty())
        for (std::size_t i = 0; i < fabric_.channels_from(sw).size(); ++i)
          busy += load_[fabric_.first_channel(sw).value() + i];
      return std::tuple(total[sw.value()], busy, sw);
    };
    std::vector<std::tuple<std::uint64_t, std::uint64_t, SwitchId>> keys;
    for (const SwitchId sw : part) keys.push_back(key(sw));
    const std::size_t count = std::min(keys.size(), kRootsMax);
    std::ranges::partial_sort(keys, keys.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<SwitchId> roots;
    for (std::size_t i = 0; i < count; ++i) roots.push_back(std::get<2>(keys[i]));
    return roots;
  }

  const Fabric& fabric_;
  const Membership& membership_;
  TreeMaker& maker_;
  HopRows rows_;
  std::optional<Lane> lane_;
  Load load_;  // empty where load is ignored
};

/// Writes the output ports to the members at each switch.
void write_members(const Fabric& fabric, const MulticastGroup& group,
                   std::map<SwitchId, PortMask>& masks) {
  for (const EndportId id : group.members) {
    const Endport& endport = fabric.endport(id);
    if (endport.sw != kNoSwitch) masks[endport.sw].set(endport.sw_port.value());
  }
}

/// Notes members that packets of the group cannot reach: without a switch, or in different parts.
void note_unreached(const Fabric& fabric, const MulticastGroup& group,
                    std::span<const std::vector<Demand>> demands, MulticastPlan& plan) {
  const auto in_use =
      std::ranges::count_if(demands, [](const auto& part) { return !part.empty(); });
  if (in_use > 1)
    plan.notes.push_back(
        fmt::format("multicast group 0x{:04X} has members in {} connected parts of the "
                    "fabric: each part has a tree of its own",
                    group.mlid.value(), in_use));
  std::size_t unreached = 0;
  for (const EndportId id : group.members)
    if (fabric.endport(id).sw == kNoSwitch && ++unreached <= kUnreachedNamed)
      plan.notes.push_back(fmt::format("multicast group 0x{:04X}: {} is unreachable",
                                       group.mlid.value(),
                                       describe(fabric, fabric.endport(id).port)));
}

MulticastPlan plan_by_master(const Fabric& fabric, const Membership& membership,
                             std::span<const MulticastGroup> groups, const Tree& master,
                             TreeMaker& maker, MulticastPlan plan) {
  Planner planner(fabric, membership, maker, std::nullopt, false);
  for (const MulticastGroup& group : groups) {
    auto& masks = plan.mfts[group.mlid];
    write_members(fabric, group, masks);
    const auto demands = membership.of(group);
    for (const auto& part : demands)
      if (!part.empty()) planner.write(maker.part_of(master, part), part, masks);
    note_unreached(fabric, group, demands, plan);
  }
  return plan;
}

}  // namespace

Result<MulticastPlan> plan_multicast(const Fabric& fabric, const Routes& routes,
                                     const RoutingOptions& options,
                                     std::span<const MulticastGroup> groups) {
  MulticastPlan plan{{}, {}, routes.sl2vl, routes.vls, {}};
  if (groups.empty()) return plan;
  if (const auto status = check(groups); !status) return forward(status);
  std::vector<MulticastGroup> sorted(groups.begin(), groups.end());
  std::ranges::sort(sorted, {}, &MulticastGroup::mlid);
  const Membership membership(fabric);
  TreeMaker maker(fabric);
  if (plain_engine(routes.engine) == "torus-2QoS" && options.torus) {
    if (const auto master = torus_multicast_tree(fabric, *options.torus))
      return plan_by_master(fabric, membership, sorted, *master, maker, std::move(plan));
    plan.notes.emplace_back(
        "so much of the torus is missing that every multicast tree closes a cycle with its "
        "unicast routes: packets can deadlock");
  }
  const Turns turns(fabric);
  std::optional<Turns> laned_turns;
  Choice choice =
      LaneChooser(fabric, routes, options, membership, sorted, turns, laned_turns, maker, false)
          .choose();
  plan.notes.insert(plan.notes.end(), choice.notes.begin(), choice.notes.end());
  plan.sl2vl = std::move(choice.sl2vl);
  plan.vls = choice.vls;
  Planner planner(fabric, membership, maker, std::move(choice.lane), routes.engine == "nue");
  for (const MulticastGroup& group : sorted) {
    auto& masks = plan.mfts[group.mlid];
    write_members(fabric, group, masks);
    const auto demands = membership.of(group);
    for (std::size_t part = 0; part < demands.size(); ++part)
      if (!demands[part].empty())
        planner.write(planner.choose(part, demands[part], group.mlid), demands[part], masks);
    if (choice.sl != Sl(0)) plan.sl[group.mlid] = choice.sl;
    note_unreached(fabric, group, demands, plan);
  }
  return plan;
}

bool takes_multicast(const Fabric& fabric, const Routes& routes, const RoutingOptions& options) {
  const Membership membership(fabric);
  TreeMaker maker(fabric);
  const Turns turns(fabric);
  std::optional<Turns> laned_turns;
  return LaneChooser(fabric, routes, options, membership, std::array{all_hosts(fabric)}, turns,
                     laned_turns, maker, true)
      .choose()
      .lane.has_value();
}

void add_multicast(MulticastPlan plan, Routes& routes) {
  routes.mfts = std::move(plan.mfts);
  routes.multicast_sl = std::move(plan.sl);
  routes.sl2vl = std::move(plan.sl2vl);
  routes.vls = plan.vls;
  routes.notes.insert(routes.notes.end(), std::make_move_iterator(plan.notes.begin()),
                      std::make_move_iterator(plan.notes.end()));
}

}  // namespace weft
