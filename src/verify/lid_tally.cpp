// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/lid_tally.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

namespace weft {
namespace {

void note_failure(const WalkFailure& failure, std::size_t failures_max, LidTally& tally) {
  ++tally.broken[failure.where];
  if (tally.failures.size() < failures_max) tally.failures.push_back(failure);
}

void name_failures(const Fabric& fabric, Lid lid, EndportId owner, std::span<const LidEnd> ends,
                   const Common& common, std::size_t failures_max, LidTally& tally) {
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    if (ends[s].end == WalkEnd::kArrived ||
        !is_failure(fabric, common, SwitchId(s), fabric.endport(owner)))
      continue;
    const auto hosts = fabric.endports_at(SwitchId(s));
    const auto other = std::ranges::find_if(hosts, [&](EndportId id) { return id != owner; });
    const EndportId source = other == hosts.end() ? Fabric::endport_of(SwitchId(s)) : *other;
    note_failure({source, lid, ends[s].end, ends[s].where}, failures_max, tally);
  }
}

/// Whether each CA port that is not connected with `owner` belongs to a host that other ports
/// connect with the owner's host.
bool all_in_other_planes(const Fabric& fabric, const Common& common, const Endport& owner) {
  return !common.other_planes.empty() &&
         common.other_planes[fabric.endport_at(owner.port).value()] ==
             common.cas - common.part_cas[common.part[owner.sw.value()]];
}

/// Counts the pairs with the owner of a LID that are not connected by cables.
void count_cut_off(const Fabric& fabric, const Endport& owner, const Common& common,
                   ReachCount& cas, ReachCount& switches) {
  if (owner.sw == kNoSwitch) {
    cas.cut_off = cas.pairs;
    switches.cut_off = switches.pairs;
    return;
  }
  const std::uint32_t part = common.part[owner.sw.value()];
  cas.cut_off = common.cas - common.part_cas[part];
  if (!common.other_planes.empty() && !fabric.is_switch(owner.node)) {
    const std::uint64_t planes = common.other_planes[fabric.endport_at(owner.port).value()];
    cas.pairs -= planes;
    cas.cut_off -= planes;
  }
  switches.cut_off = fabric.switch_count() - common.part_switches[part];
}

}  // namespace

unsigned vl_count_of_maps(const Routes& routes, std::size_t sls) {
  unsigned vls = 1;
  for (const SlMap& map : routes.sl2vl.maps())
    for (std::size_t sl = 0; sl < sls; ++sl)
      if (map[sl] != kDropVl) vls = std::max(vls, map[sl] + 1u);
  return vls;
}

Dependencies no_dependencies(const Fabric& fabric, const Routes& routes, const Common& common) {
  const auto lanes =
      routes.sl2vl.uniform() ? DependencyGraph::Lanes::kKept : DependencyGraph::Lanes::kMixed;
  DependencyGraph cas(fabric, common.vls, lanes);
  DependencyGraph switches = cas.without_edges();
  return {std::move(cas), std::move(switches)};
}

unsigned least_link_vls(const Fabric& fabric) {
  unsigned least = kDropVl;  // the loop has both ends of each link
  for (std::uint32_t id = 0; id < fabric.port_count(); ++id)
    if (const Port& port = fabric.port(PortId(id)); port.peer != kNoPort)
      least = std::min<unsigned>(least, port.data_vls);
  return least;
}

unsigned link_vls(const Fabric& fabric, PortId port) {
  const Port& end = fabric.port(port);
  return std::min<unsigned>(end.data_vls, fabric.port(end.peer).data_vls);
}

void note_lanes(const Fabric& fabric, PortId port, unsigned lanes, LidTally& tally) {
  const unsigned vls = link_vls(fabric, port);
  if (const unsigned beyond = lanes >> vls << vls; beyond != 0)
    tally.beyond[port] |= static_cast<std::uint16_t>(beyond);
}

void note_lane(const Fabric& fabric, SwitchId sw, PortNum out, std::uint8_t vl, LidTally& tally) {
  if (out == PortNum(0) || out == kNoRoute) return;
  const PortId port = fabric.port_id(Fabric::node_of(sw), out);
  if (port != kNoPort && fabric.port(port).peer != kNoPort)
    note_lanes(fabric, port, 1u << vl, tally);
}

void note_injected(const Fabric& fabric, const Routes& routes, const Endport& source,
                   PathSls::Mask sls, LidTally& tally) {
  note_lanes(fabric, source.port, lanes_of(routes, sls), tally);
}

bool is_failure(const Fabric& fabric, const Common& common, SwitchId from, const Endport& owner) {
  const bool joined = common.part[from.value()] == common.part[owner.sw.value()];
  const bool has_cas = common.cas_at[from.value()] > 0;
  if (fabric.is_switch(owner.node)) return has_cas && joined;
  return joined || (has_cas && !all_in_other_planes(fabric, common, owner));
}

void count_ends(const Fabric& fabric, Lid lid, std::span<const LidEnd> ends, const Common& common,
                const std::function<SwitchId(const Endport& source)>& where_dropped,
                std::size_t failures_max, LidTally& tally) {
  const EndportId owner_id = fabric.endport_of(lid);
  const Endport& owner = fabric.endport(owner_id);
  const bool for_ca = !fabric.is_switch(owner.node);
  ReachCount cas{.pairs = common.cas - (for_ca ? 1u : 0u)};
  ReachCount switches{.pairs = fabric.switch_count() - (for_ca ? 0u : 1u)};
  count_cut_off(fabric, owner, common, cas, switches);
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
    tally.loops += ends[s].end == WalkEnd::kLoop ? 1 : 0;
    if (ends[s].end != WalkEnd::kArrived) continue;
    const SwitchId sw(s);
    const EndportId own = Fabric::endport_of(sw);
    if (!common.drops) {
      switches.arrived += own != owner_id ? 1u : 0u;
      cas.arrived += common.cas_at[s] - (owner.sw == sw && for_ca ? 1u : 0u);
      continue;
    }
    std::optional<WalkFailure> failure;
    const auto arrives = [&](EndportId source) {
      if (source == owner_id) return false;
      const SwitchId where = where_dropped(fabric.endport(source));
      if (where != kNoSwitch && !failure && (for_ca || source != own))
        failure = {source, lid, WalkEnd::kDropped, where};
      return where == kNoSwitch;
    };
    for (const EndportId host : fabric.endports_at(sw)) cas.arrived += arrives(host) ? 1u : 0u;
    switches.arrived += arrives(own) ? 1u : 0u;
    if (failure) note_failure(*failure, failures_max, tally);
  }
  if (owner.sw == kNoSwitch && fabric.port(owner.port).peer != kNoPort) {
    ++cas.arrived;  // the CA that is cabled to the owner directly
    --cas.cut_off;
  }
  (for_ca ? tally.ca_to_ca : tally.ca_to_switch) += cas;
  (for_ca ? tally.switch_to_ca : tally.switch_to_switch) += switches;
  if (owner.sw != kNoSwitch)
    name_failures(fabric, lid, owner_id, ends, common, failures_max, tally);
}

void count_all_arrived(const Fabric& fabric, Lid lid, const Common& common,
                       std::uint64_t switches_missing, LidTally& tally) {
  const Endport& owner = fabric.endport(fabric.endport_of(lid));
  const unsigned for_ca = fabric.is_switch(owner.node) ? 0 : 1;
  ReachCount cas{.pairs = common.cas - for_ca};
  ReachCount switches{.pairs = fabric.switch_count() - 1u + for_ca};
  count_cut_off(fabric, owner, common, cas, switches);
  cas.arrived = cas.pairs - cas.cut_off;
  switches.arrived = switches.pairs - switches_missing;
  (for_ca != 0 ? tally.ca_to_ca : tally.ca_to_switch) += cas;
  (for_ca != 0 ? tally.switch_to_ca : tally.switch_to_switch) += switches;
}

}  // namespace weft
