// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/check.h"
#include "fabric/planes.h"
#include "routing/deadlock/lanes.h"
#include "routing/engine.h"
#include "routing/multicast/lane.h"
#include "routing/multicast/lane_choice.h"
#include "routing/multicast/membership.h"
#include "routing/multicast/tree.h"
#include "routing/multicast/tree_choice.h"
#include "routing/torus_2qos/multicast.h"

namespace weft {
namespace {

using multicast::Demand;
using multicast::LaneChoice;
using multicast::LaneChooser;
using multicast::LoadSequence;
using multicast::Membership;
using multicast::Tree;
using multicast::TreeChooser;
using multicast::TreeMaker;

constexpr std::size_t kUnreachableNamed = 8;

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

/// Adds the output ports of a tree at each switch.
void write_tree(const Fabric& fabric, TreeMaker& maker, const Tree& tree,
                std::span<const Demand> demands, std::map<SwitchId, PortMask>& masks) {
  const auto carried = maker.flows(tree, demands);
  const auto use = [&](ChannelId id) {
    const Channel& channel = fabric.channel(id);
    masks[channel.from].set(channel.from_port.value());
  };
  for (std::size_t i = 0; i < tree.down.size(); ++i) {
    if (carried[i].first) use(tree.down[i]);
    if (carried[i].second) use(fabric.channel(tree.down[i]).reverse);
  }
}

/// Writes the output ports to the members at each switch.
void write_members(const Fabric& fabric, const MulticastGroup& group,
                   std::map<SwitchId, PortMask>& masks) {
  for (const EndportId id : group.members) {
    const Endport& endport = fabric.endport(id);
    if (endport.sw != kNoSwitch) masks[endport.sw].set(endport.sw_port.value());
  }
}

/// Adds notes about unreachable members: members without a switch, and members in different parts.
void note_unreachable(const Fabric& fabric, const MulticastGroup& group,
                      std::span<const std::vector<Demand>> demands, MulticastPlan& plan) {
  const auto in_use =
      std::ranges::count_if(demands, [](const auto& part) { return !part.empty(); });
  if (in_use > 1 && !parts_are_planes(fabric))
    plan.notes.push_back(
        fmt::format("multicast group 0x{:04X} has members in {} connected parts of the "
                    "fabric: each part has a tree of its own",
                    group.mlid.value(), in_use));
  std::size_t unreachable = 0;
  for (const EndportId id : group.members)
    if (fabric.endport(id).sw == kNoSwitch && ++unreachable <= kUnreachableNamed)
      plan.notes.push_back(fmt::format("multicast group 0x{:04X}: {} is unreachable",
                                       group.mlid.value(),
                                       describe(fabric, fabric.endport(id).port)));
  if (unreachable > kUnreachableNamed) {
    const std::size_t more = unreachable - kUnreachableNamed;
    plan.notes.push_back(fmt::format("multicast group 0x{:04X}: {} more {} unreachable",
                                     group.mlid.value(), more,
                                     more == 1 ? "member is" : "members are"));
  }
}

/// One more than the highest position of the groups.
std::size_t positions_end(std::span<const MulticastGroup> groups) {
  std::size_t end = 0;
  for (const MulticastGroup& group : groups)
    end = std::max(end, multicast::position_of(group.mlid) + 1);
  return end;
}

/// Plans trees that are parts of the master tree. They are spread over parallel cables.
MulticastPlan plan_by_master(const Fabric& fabric, const Membership& membership,
                             std::span<const MulticastGroup> groups, const Tree& master,
                             TreeMaker& maker, MulticastPlan plan) {
  LoadSequence sequence(fabric);
  for (const std::size_t end = positions_end(groups); sequence.size() < end;)
    sequence.append(
        {multicast::least_loaded_cables(fabric, master, sequence.before(sequence.size()))});
  for (const MulticastGroup& group : groups) {
    auto& masks = plan.mfts[group.mlid];
    write_members(fabric, group, masks);
    const Tree& tree = sequence.at(multicast::position_of(group.mlid)).front();
    const auto demands = membership.of(group);
    for (const auto& part : demands)
      if (!part.empty()) write_tree(fabric, maker, maker.part_of(tree, part), part, masks);
    note_unreachable(fabric, group, demands, plan);
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
        "torus-2QoS: found no multicast tree over all switches of the torus that closes no cycle "
        "with unicast packets, as can happen if links or switches are missing; using other trees "
        "and lanes");
  }
  const Turns turns(fabric);
  std::optional<Turns> laned_turns;
  LaneChoice choice =
      LaneChooser(fabric, routes, options, membership, sorted, turns, laned_turns, maker, false)
          .choose();
  plan.notes.insert(plan.notes.end(), choice.notes.begin(), choice.notes.end());
  plan.sl2vl = std::move(choice.sl2vl);
  plan.vls = choice.vls;
  TreeChooser chooser(fabric, membership, maker, std::move(choice.lane));
  chooser.prepare(positions_end(sorted));
  for (const MulticastGroup& group : sorted) {
    auto& masks = plan.mfts[group.mlid];
    write_members(fabric, group, masks);
    const auto demands = membership.of(group);
    for (std::size_t part = 0; part < demands.size(); ++part)
      if (!demands[part].empty())
        write_tree(fabric, maker, chooser.choose(part, demands[part], group.mlid), demands[part],
                   masks);
    if (choice.sl != Sl(0)) plan.sl[group.mlid] = choice.sl;
    note_unreachable(fabric, group, demands, plan);
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
  std::erase_if(routes.notes, [&](const std::string& note) {
    return std::ranges::find(routes.multicast_notes, note) != routes.multicast_notes.end();
  });
  routes.notes.insert(routes.notes.end(), plan.notes.begin(), plan.notes.end());
  routes.multicast_notes = std::move(plan.notes);
}

}  // namespace weft
