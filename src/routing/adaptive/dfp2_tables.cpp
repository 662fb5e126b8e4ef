// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/adaptive/dfp2_tables.h"

#include <algorithm>

#include "fabric/aggregation.h"
#include "routes/next_hops.h"
#include "routing/adaptive/group_tables.h"
#include "routing/adaptive/lid_classes.h"
#include "routing/shapes/arrival_leaves.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

/// SLs other than 0 that paths use: each is for one additional lane.
unsigned separate_sls(const Routes& routes) {
  return routes.path_sl.kind() == PathSl::Kind::kUniform ? 0 : routes.vls_needed - 2;
}

/// The ports of table 1, by switch and LID.
class Dfp2Choices {
 public:
  Dfp2Choices(const Fabric& fabric, const SwitchGroups& groups, const std::vector<bool>& capable,
              const Routes& routes)
      : fabric_(fabric),
        groups_(groups),
        capable_(capable),
        routes_(routes),
        leaves_(leaf_switches(fabric)),
        arrival_leaf_(arrival_leaves(fabric, groups)),
        masks_(fabric.switch_count()),
        of_lid_(fabric.switch_count()),
        arrives_(fabric.switch_count()),
        passes_(fabric.switch_count()),
        detours_(fabric.switch_count()) {
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
      if (capable[s]) of_lid_[s].assign(lid_blocks(fabric) * kLftBlock, SwitchMasks::kNone);
  }

  void add(Lid lid) {
    const Endport& to = fabric_.endport(fabric_.endport_of(lid));
    const bool has_detours = is_leaf(to.sw);
    if (has_detours) find_detours(to.sw, lid);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      if (!capable_[s]) continue;
      const PortMask* const minimal = routes_.adaptive->group_of(SwitchId(s), lid);
      PortMask ports = minimal == nullptr ? PortMask() : *minimal;
      const bool is_detour =
          has_detours && groups_.of[s] != groups_.of[to.sw.value()] && add_detours(s, lid, ports);
      if (is_detour) ++entries_;
      // A group of the default port alone is not necessary.
      const bool is_static = ports.none() || (!is_detour && minimal == nullptr);
      if (!is_static) of_lid_[s][lid.value()] = masks_[s].number(ports);
    }
  }

  WantedGroups wanted(SwitchId sw) const {
    return {masks_[sw.value()].masks(), of_lid_[sw.value()]};
  }
  std::uint64_t entries() const { return entries_; }

 private:
  bool is_leaf(SwitchId sw) const { return leaves_[sw.value()]; }
  std::uint32_t group(SwitchId sw) const { return groups_.of[sw.value()]; }

  /// Whether all next hops of a switch by table 0 are to switches for which body(to) is true.
  template <class Body>
  bool all_next(SwitchId at, Lid lid, const Body& body) const {
    bool all = true;
    for_each_choice(routes_.lfts, &*routes_.adaptive, at, lid, [&](PortNum port) {
      const ChannelId out = port == kNoRoute ? kNoChannel : fabric_.channel_at(at, port);
      all = all && out != kNoChannel && body(fabric_.channel(out).to);
    });
    return all;
  }

  /// Finds, for a LID, the spines at which packets may enter the destination group and an
  /// intermediate group, and the cables of each spine to intermediate groups.
  void find_detours(SwitchId target, Lid lid) {
    const std::uint32_t last = group(target);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      arrives_[s] = groups_.of[s] == last && arrives(SwitchId(s), target, lid);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      passes_[s] = groups_.of[s] != last && !is_leaf(SwitchId(s)) && passes(SwitchId(s), last, lid);
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const SwitchId spine(s);
      detours_[s].reset();
      if (!capable_[s] || is_leaf(spine) || groups_.of[s] == last || leads_to(spine, last, lid))
        continue;
      for (const Channel& channel : fabric_.channels_from(spine))
        if (group(channel.to) > groups_.of[s] && passes_[channel.to.value()])
          detours_[s].set(channel.from_port.value());
    }
  }

  /// Whether all packets at a spine are sent to the destination leaf, directly or over the arrival
  /// leaf of the group.
  bool arrives(SwitchId spine, SwitchId target, Lid lid) const {
    if (is_leaf(spine)) return false;
    const SwitchId turn = arrival_leaf_[group(target)];
    return all_next(spine, lid, [&](SwitchId to) { return to == target; }) ||
           (turn != target && all_next(spine, lid, [&](SwitchId to) { return to == turn; }) &&
            all_next(turn, lid, [&](SwitchId up) {
              return up != spine && all_next(up, lid, [&](SwitchId to) { return to == target; });
            }));
  }

  /// Whether all packets at a spine are sent over a cable to the destination group.
  bool leads_to(SwitchId spine, std::uint32_t last, Lid lid) const {
    return all_next(spine, lid, [&](SwitchId to) { return group(to) == last; });
  }
  /// Whether all packets at a spine of an intermediate group arrive: over its cables to the
  /// destination group, or over a leaf, other than the arrival leaf, to spines with such cables.
  bool passes(SwitchId spine, std::uint32_t last, Lid lid) const {
    const auto crosses = [&](SwitchId at) {
      return all_next(at, lid, [&](SwitchId to) { return arrives_[to.value()]; });
    };
    if (leads_to(spine, last, lid)) return crosses(spine);
    return all_next(spine, lid, [&](SwitchId leaf) {
      return is_leaf(leaf) && leaf != arrival_leaf_[group(spine)] &&
             all_next(leaf, lid, [&](SwitchId up) {
               return !is_leaf(up) && group(up) == group(spine) && up != spine && crosses(up);
             });
    });
  }

  /// Adds to the ports of a leaf those to spines with ports to intermediate groups, and the default
  /// port; replaces the ports of a spine by its ports to intermediate groups. Returns false,
  /// without a change, if there are no such ports.
  bool add_detours(std::uint32_t s, Lid lid, PortMask& ports) const {
    if (!is_leaf(SwitchId(s))) {
      if (detours_[s].none()) return false;
      ports = detours_[s];
      return true;
    }
    PortMask spines;
    for (const Channel& channel : fabric_.channels_from(SwitchId(s)))
      if (group(channel.to) == groups_.of[s] && detours_[channel.to.value()].any())
        spines.set(channel.from_port.value());
    if (spines.none()) return false;
    ports |= spines;
    const PortNum own = routes_.lfts.port(SwitchId(s), lid);
    if (own != kNoRoute) ports.set(own.value());
    return true;
  }

  const Fabric& fabric_;
  const SwitchGroups& groups_;
  const std::vector<bool>& capable_;
  const Routes& routes_;
  const std::vector<bool> leaves_;                  // by switch
  const std::vector<SwitchId> arrival_leaf_;        // by group
  std::vector<SwitchMasks> masks_;                  // by switch
  std::vector<std::vector<std::uint16_t>> of_lid_;  // by switch and LID: number of the mask
  std::uint64_t entries_ = 0;
  // Of the current LID, by switch:
  std::vector<bool> arrives_, passes_;
  std::vector<PortMask> detours_;
};

/// `leaves`: leaf_switches().
void select_tables(const Fabric& fabric, const SwitchGroups& groups,
                   const std::vector<bool>& leaves, SwitchId sw, unsigned separate,
                   ArTables& tables) {
  for (const Port& in : fabric.ports(Fabric::node_of(sw))) {
    const ChannelId out = fabric.channel_at(sw, in.num);
    const SwitchId peer = out == kNoChannel ? kNoSwitch : fabric.channel(out).to;
    const bool from_leaf = peer != kNoSwitch && leaves[peer.value()] &&
                           groups.of[peer.value()] == groups.of[sw.value()];
    const bool from_below = leaves[sw.value()] ? peer == kNoSwitch : from_leaf;
    for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
      const bool has_own_lane = sl >= 1 && sl <= separate;
      if (has_own_lane || from_below) tables.select_table(sw, in.num, Sl(sl), has_own_lane ? 2 : 1);
    }
  }
}

}  // namespace

unsigned dfp2_table_count(const Routes& routes) { return separate_sls(routes) > 0 ? 3 : 2; }

std::uint64_t add_dfp2_tables(const Fabric& fabric, const SwitchGroups& groups,
                              const std::vector<bool>& capable, const GroupOptions& options,
                              Routes& routes) {
  const unsigned separate = separate_sls(routes);
  ArTables& tables = *routes.adaptive;
  Dfp2Choices choices(fabric, groups, capable, routes);
  for (const Lid lid : routable_lids(fabric, routes.lfts)) choices.add(lid);
  while (tables.table_count() < dfp2_table_count(routes)) tables.add_private_table();
  const std::vector<bool> leaves = leaf_switches(fabric);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (capable[s])
      select_tables(fabric, groups, leaves, SwitchId(s), separate, tables);
    else if (separate > 0)
      tables.clear(SwitchId(s));
  }
  store_private_groups(
      fabric, options, 1, [&](SwitchId sw) { return choices.wanted(sw); }, routes);
  return choices.entries();
}

void make_static(const SwitchGroups& groups, std::uint32_t group, Lid lid, ArTables& tables) {
  for (std::uint32_t s = 0; s < groups.of.size(); ++s) {
    if (groups.of[s] != group) continue;
    tables.set(SwitchId(s), lid, {});
    for (unsigned table = 1; table < tables.table_count(); ++table)
      tables.private_table(table).set(SwitchId(s), lid, {});
  }
}

}  // namespace weft
