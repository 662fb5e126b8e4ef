// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/check.h"
#include "fabric/hops.h"
#include "fabric/planes.h"
#include "routing/deadlock/lanes.h"
#include "routing/engine.h"
#include "routing/multicast/lane.h"
#include "routing/multicast/lane_choice.h"
#include "routing/multicast/membership.h"
#include "routing/multicast/tree.h"
#include "routing/shapes/ranks.h"
#include "routing/torus_2qos/multicast.h"

namespace weft {
namespace {

using multicast::Demand;
using multicast::Lane;
using multicast::LaneChoice;
using multicast::LaneChooser;
using multicast::Membership;
using multicast::Tree;
using multicast::TreeMaker;

// Roots tried for a group.
constexpr std::size_t kRootsMax = 8;
constexpr std::size_t kUnreachedNamed = 8;

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

/// Hops from a switch to all other switches, computed at the first use.
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

/// Selects the trees of the groups, one group after another.
class Planner {
 public:
  Planner(const Fabric& fabric, const Membership& membership, TreeMaker& maker,
          std::optional<Lane> lane)
      : fabric_(fabric),
        membership_(membership),
        maker_(maker),
        rows_(fabric),
        lane_(std::move(lane)) {}

  /// The number of a group, not the load, selects one of equally near roots and of equally short
  /// paths. So the tree of a group does not change when other groups are created or deleted.
  Tree choose(std::size_t part, std::span<const Demand> demands, Lid mlid) {
    const Nearest nearest = find_nearest(membership_.parts()[part], demands);
    const std::size_t number = mlid.value() - kLidMulticastFirst.value();
    const std::size_t path_number = number / nearest.equal;
    Tree first;
    for (std::size_t i = 0; i < std::min(nearest.roots.size(), kRootsMax); ++i) {
      const SwitchId root = nearest.roots[i < nearest.equal ? (number + i) % nearest.equal : i];
      Tree tree =
          maker_.shortest(root, rows_.from(root), demands, static_cast<std::uint32_t>(path_number));
      if (fits(tree, demands)) return tree;
      if (first.down.empty()) first = std::move(tree);
    }
    if (!lane_) return first;
    Tree tree = maker_.part_of(lane_->masters[part], demands);
    CHECK(fits(tree, demands));  // lane_->held has the turns of the master tree
    return tree;
  }

  void write(const Tree& tree, std::span<const Demand> demands,
             std::map<SwitchId, PortMask>& masks) {
    const auto carried = maker_.flows(tree, demands);
    const auto use = [&](ChannelId id) {
      const Channel& channel = fabric_.channel(id);
      masks[channel.from].set(channel.from_port.value());
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

  /// Switches by the sum of hops to all members, ascending, then by id: all switches with the least
  /// sum, and at least kRootsMax switches if the part has so many. `equal` is the number of
  /// switches with the least sum.
  struct Nearest {
    std::vector<SwitchId> roots;
    std::size_t equal = 0;
  };
  Nearest find_nearest(std::span<const SwitchId> part, std::span<const Demand> demands) {
    std::vector<std::uint64_t> total(fabric_.switch_count(), 0);
    for (const Demand& demand : demands) {
      const auto row = rows_.from(demand.sw);
      for (const SwitchId sw : part)
        total[sw.value()] += std::uint64_t{row[sw.value()]} * demand.weight();
    }
    const auto total_of = [&](SwitchId sw) { return total[sw.value()]; };
    const std::uint64_t least = total_of(*std::ranges::min_element(part, {}, total_of));
    Nearest nearest{{part.begin(), part.end()},
                    static_cast<std::size_t>(std::ranges::count(part, least, total_of))};
    const std::size_t count = std::min(part.size(), std::max(nearest.equal, kRootsMax));
    std::ranges::partial_sort(nearest.roots,
                              nearest.roots.begin() + static_cast<std::ptrdiff_t>(count), {},
                              [&](SwitchId sw) { return std::pair(total_of(sw), sw); });
    nearest.roots.resize(count);
    return nearest;
  }

  const Fabric& fabric_;
  const Membership& membership_;
  TreeMaker& maker_;
  HopRows rows_;
  std::optional<Lane> lane_;
};

/// Writes the output ports to the members at each switch.
void write_members(const Fabric& fabric, const MulticastGroup& group,
                   std::map<SwitchId, PortMask>& masks) {
  for (const EndportId id : group.members) {
    const Endport& endport = fabric.endport(id);
    if (endport.sw != kNoSwitch) masks[endport.sw].set(endport.sw_port.value());
  }
}

/// Adds notes about unreachable members: members without a switch, and members in different parts.
void note_unreached(const Fabric& fabric, const MulticastGroup& group,
                    std::span<const std::vector<Demand>> demands, MulticastPlan& plan) {
  const auto in_use =
      std::ranges::count_if(demands, [](const auto& part) { return !part.empty(); });
  if (in_use > 1 && !parts_are_planes(fabric))
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
  Planner planner(fabric, membership, maker, std::nullopt);
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
                                     const MulticastOptions& options,
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
        "torus-2QoS: the multicast tree of the torus is impossible, because too many links or "
        "switches are missing: "
        "other trees and lanes are tried");
  }
  const Turns turns(fabric);
  std::optional<Turns> laned_turns;
  LaneChoice choice =
      LaneChooser(fabric, routes, options, membership, sorted, turns, laned_turns, maker, false)
          .choose();
  plan.notes.insert(plan.notes.end(), choice.notes.begin(), choice.notes.end());
  plan.sl2vl = std::move(choice.sl2vl);
  plan.vls = choice.vls;
  Planner planner(fabric, membership, maker, std::move(choice.lane));
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

bool has_multicast_lane(const Fabric& fabric, const Routes& routes,
                        const MulticastOptions& options) {
  const Membership membership(fabric);
  TreeMaker maker(fabric);
  const Turns turns(fabric);
  std::optional<Turns> laned_turns;
  return LaneChooser(fabric, routes, options, membership,
                     std::array{multicast::all_endports(fabric)}, turns, laned_turns, maker, true)
      .choose()
      .lane.has_value();
}

bool allows_multicast(const Fabric& fabric, const Routes& routes, const MulticastOptions& options) {
  return routes.vls < lanes_available(fabric, options.vls_max) ||
         has_multicast_lane(fabric, routes, options);
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
