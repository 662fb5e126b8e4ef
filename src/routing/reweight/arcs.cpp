// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/arcs.h"

#include <algorithm>

#include "fabric/aggregation.h"
#include "fabric/link_rates.h"
#include "routing/shapes/hop_dag.h"

namespace weft::reweight {
namespace {

std::vector<std::uint32_t> hosts_by_switch(const Fabric& fabric) {
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s)
    hosts.push_back(static_cast<std::uint32_t>(fabric.endports_at(SwitchId(s)).size()));
  return hosts;
}

/// Time of one flow at a rate, rounded to the nearest unit; see kFlowTime.
std::uint64_t time_of_flow(std::uint64_t fastest, std::uint64_t rate) {
  return (fastest * kFlowTime + rate / 2) / rate;
}

}  // namespace

ArcTurns::ArcTurns(const Arcs& arcs) : arcs_(arcs), begin_{0} {
  for (const std::uint32_t sw : arcs.head)
    begin_.push_back(begin_.back() + arcs.first[sw + 1] - arcs.first[sw]);
}

Arcs channels_as_arcs(const Fabric& fabric, std::span<const EndportId> ignored) {
  Arcs arcs;
  for (std::uint32_t s = 0; s <= fabric.switch_count(); ++s)
    arcs.first.push_back(s < fabric.switch_count() ? fabric.first_channel(SwitchId(s)).value()
                                                   : fabric.channel_count());
  arcs.head = channel_heads(fabric);
  arcs.hosts = traffic_ports_by_switch(fabric);
  for (const EndportId id : ignored)
    if (const Endport& port = fabric.endport(id);
        !fabric.is_switch(port.node) && !is_aggregation_node(fabric.node(port.node)))
      if (port.sw != kNoSwitch) --arcs.hosts[port.sw.value()];
  const auto rate = channel_rates(fabric);
  const std::uint64_t fastest = rate.empty() ? 1 : std::ranges::max(rate);
  for (const std::uint64_t one : rate) arcs.time.push_back(time_of_flow(fastest, one));
  return arcs;
}

Arcs trunks_as_arcs(const Fabric& fabric, const Trunks& trunks) {
  Arcs arcs;
  arcs.first = trunks.begin;
  arcs.head = trunks.head;
  arcs.hosts = hosts_by_switch(fabric);
  const auto rate = channel_rates(fabric);
  const std::uint64_t fastest = rate.empty() ? 1 : std::ranges::max(rate);
  for (std::uint32_t t = 0; t < trunks.count(); ++t) {
    // LIDs alternate between the cables, so the slowest cable has the largest load.
    std::uint64_t slowest = fastest;
    for (const std::uint32_t channel : trunks.channels_of(t))
      slowest = std::min<std::uint64_t>(slowest, rate[channel]);
    arcs.time.push_back(time_of_flow(fastest, slowest * trunks.channels_of(t).size()));
  }
  return arcs;
}

}  // namespace weft::reweight
