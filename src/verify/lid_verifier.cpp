// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/lid_verifier.h"

#include <bit>

namespace weft {

LidVerifier::LidVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                         const PathSls& sls, const NextHops& hops, Dependencies& dependencies)
    : fabric_(fabric),
      routes_(routes),
      common_(common),
      sls_(sls),
      hops_(hops),
      dependencies_(dependencies),
      uniform_(routes.sl2vl.uniform()),
      ends_(fabric.switch_count()),
      seen_lid_(uniform_ ? fabric.switch_count() : fabric.channel_count() * std::size_t{common.vls},
                0),
      seen_(seen_lid_.size(), 0) {}

void LidVerifier::verify(Lid lid, std::size_t failures_max, LidTally& tally) {
  count(lid, failures_max, tally);
  if (owner_ != kNoEndport) follow_traffic(tally);
}

void LidVerifier::count(Lid lid, std::size_t failures_max, LidTally& tally) {
  if (!load(lid)) return;
  const auto ends =
      ends_.find([&](std::uint32_t at) { return channel_[at] == kNoChannel ? kNoSwitch : to_[at]; },
                 [&](std::uint32_t at) { return last_step(at).end; });
  count_ends(
      fabric_, lid, ends, common_, [&](const Endport& source) { return where_dropped(source); },
      failures_max, tally);
}

void LidVerifier::trace(Lid lid, LidTally& tally) {
  if (load(lid)) follow_traffic(tally);
}

bool LidVerifier::load(Lid lid) {
  lid_ = lid;
  owner_ = fabric_.endport_of(lid);
  if (owner_ == kNoEndport) return false;
  channel_ = hops_.channels(lid);
  to_ = hops_.switches(lid);
  return true;
}

/// The end of packets at a switch that does not send them over a channel.
Step LidVerifier::last_step(std::uint32_t at) const {
  return step(fabric_, SwitchId(at), routes_.lfts.port(SwitchId(at), lid_), owner_);
}

/// The switch at which SL2VL maps drop requests or replies of this source (by VL 15), or kNoSwitch.
SwitchId LidVerifier::where_dropped(const Endport& source) const {
  const SwitchId destination = fabric_.endport(owner_).sw;
  if (destination == kNoSwitch) return kNoSwitch;
  const PathSls::Mask sls = sls_.from_endport(source, destination, lid_);
  for (unsigned sl = 0; sl < kSlCount; ++sl)
    if ((sls >> sl & 1) != 0)
      if (const SwitchId at = where_dropped_on(source, Sl(static_cast<std::uint8_t>(sl)));
          at != kNoSwitch)
        return at;
  return kNoSwitch;
}

SwitchId LidVerifier::where_dropped_on(const Endport& source, Sl sl) const {
  if (uniform_) return routes_.sl2vl.common()[sl.value()] == kDropVl ? source.sw : kNoSwitch;
  SwitchId at = source.sw;
  PortNum in = source.sw_port;
  while (true) {
    const PortNum out = out_port(at);
    if (out != PortNum(0) && routes_.sl2vl.vl(at, in, out, sl).value() == kDropVl) return at;
    const ChannelId next = channel_[at.value()];
    if (next == kNoChannel) return kNoSwitch;
    at = to_[at.value()];
    in = fabric_.channel(next).to_port;
  }
}

/// Adds the dependencies of packets for this LID: first of packets from CAs, then of packets from
/// switches that take other paths.
void LidVerifier::follow_traffic(LidTally& tally) {
  const SwitchId destination = fabric_.endport(owner_).sw;
  if (destination == kNoSwitch) return;
  DependencyGraph& of_cas = for_ca() ? dependencies_.cas : dependencies_.switches;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    follow_from_cas(SwitchId(s), of_cas, tally);
  if (for_ca()) {  // no traffic between switches
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const PathSls::Mask sls = sls_.from_switch(SwitchId(s), destination, lid_);
      if (uniform_) {
        follow_lanes(SwitchId(s), sls, dependencies_.switches);
      } else {
        follow_maps(SwitchId(s), PortNum(0), sls, dependencies_.switches, tally);
      }
    }
  }
  if (common_.scarce) note_lanes_used(tally);
}

void LidVerifier::follow_from_cas(SwitchId sw, DependencyGraph& graph, LidTally& tally) {
  const SwitchId destination = fabric_.endport(owner_).sw;
  const auto hosts = fabric_.endports_at(sw);
  const bool only_owner = hosts.size() == 1 && hosts.front() == owner_;
  if (hosts.empty() || only_owner) return;
  if (uniform_) {  // the VL does not depend on the input port
    follow_lanes(sw, sls_.from_cas(sw, destination, lid_), graph);
    return;
  }
  for (const EndportId host : hosts) {
    if (host == owner_) continue;
    const Endport& source = fabric_.endport(host);
    follow_maps(sw, source.sw_port, sls_.from_endport(source, destination, lid_), graph, tally);
  }
}

PathSls::Mask& LidVerifier::seen(std::size_t key) {
  if (seen_lid_[key] != lid_.value()) {
    seen_lid_[key] = lid_.value();
    seen_[key] = 0;
  }
  return seen_[key];
}

/// Follows packets on several VLs at once; each packet keeps its VL.
void LidVerifier::follow_lanes(SwitchId at, PathSls::Mask sls, DependencyGraph& graph) {
  std::uint16_t left = lanes_of(routes_, sls);
  ChannelId held = kNoChannel;
  while (true) {
    const ChannelId next = channel_[at.value()];
    if (held != kNoChannel && next != kNoChannel)
      for (unsigned lanes = left; lanes != 0; lanes &= lanes - 1) {
        const auto vl = static_cast<std::uint8_t>(std::countr_zero(lanes));
        graph.add({held, vl}, {next, vl});
      }
    // The rest of the path was followed for these VLs before.
    PathSls::Mask& before = seen(at.value());
    left = static_cast<std::uint16_t>(left & ~before);
    if (left == 0) return;
    before |= left;
    if (next == kNoChannel) return;
    held = next;
    at = to_[at.value()];
  }
}

/// Follows the packets of one SL after another; the ports determine the VL of packets at each hop.
void LidVerifier::follow_maps(SwitchId at, PortNum in, PathSls::Mask sls, DependencyGraph& graph,
                              LidTally& tally) {
  const SwitchId first_at = at;
  const PortNum first_in = in;
  for (unsigned value = 0; value < kSlCount; ++value) {
    if ((sls >> value & 1) == 0) continue;
    const Sl sl(static_cast<std::uint8_t>(value));
    at = first_at;
    in = first_in;
    std::optional<DependencyGraph::Vertex> held;
    while (true) {
      const PortNum out = out_port(at);
      const std::uint8_t vl = routes_.sl2vl.vl(at, in, out, sl).value();
      if (vl == kDropVl) break;
      if (common_.scarce) note_lane(fabric_, at, out, vl, tally);
      const ChannelId next = channel_[at.value()];
      if (next == kNoChannel) break;
      const DependencyGraph::Vertex wanted{next, vl};
      if (held) graph.add(*held, wanted);
      // The rest of the path was followed for this SL before.
      PathSls::Mask& before = seen(next.value() * std::size_t{common_.vls} + vl);
      if ((before >> value & 1) != 0) break;
      before |= static_cast<PathSls::Mask>(1u << value);
      held = wanted;
      at = to_[at.value()];
      in = fabric_.channel(next).to_port;
    }
  }
}

/// Records the VLs that packets to this LID use from each switch on, and to the first switch.
void LidVerifier::note_lanes_used(LidTally& tally) const {
  if (!uniform_) return;  // follow_maps() records the VLs of switch ports
  const SwitchId destination = fabric_.endport(owner_).sw;
  for (std::uint32_t i = 0; i < fabric_.endport_count(); ++i) {
    const Endport& source = fabric_.endport(EndportId(i));
    if (EndportId(i) == owner_ || source.sw == kNoSwitch || source.sw_port == PortNum(0)) continue;
    note_injected(fabric_, routes_, source, sls_.from_endport(source, destination, lid_), tally);
  }
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    if (seen_lid_[s] == lid_.value())
      for (std::uint8_t vl = 0; vl < kDropVl; ++vl)
        if ((seen_[s] >> vl & 1) != 0)
          note_lane(fabric_, SwitchId(s), out_port(SwitchId(s)), vl, tally);
}

}  // namespace weft
