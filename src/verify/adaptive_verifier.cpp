// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/adaptive_verifier.h"

#include <algorithm>

namespace weft {

AdaptiveVerifier::AdaptiveVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                                   const PathSls& sls, Dependencies& dependencies)
    : fabric_(fabric),
      routes_(routes),
      common_(common),
      sls_(sls),
      dependencies_(dependencies),
      ports_(fabric.switch_count()),
      steps_(fabric.switch_count()),
      ends_(fabric.switch_count()),
      open_(fabric.switch_count(), 0),
      seen_lid_(fabric.channel_count() * std::size_t{common.vls}, 0),
      seen_(seen_lid_.size(), 0),
      visited_(common.drops ? seen_.size() : 0, 0) {}

void AdaptiveVerifier::verify(Lid lid, std::size_t failures_max, LidTally& tally) {
  lid_ = lid;
  owner_ = fabric_.endport_of(lid);
  if (owner_ == kNoEndport) return;
  const bool known = choices_as_before(lid);
  if (!known) {
    cached_owner_ = owner_;
    find_steps();
    find_ends();
  }
  count_ends(
      fabric_, lid, ends_, common_, [&](const Endport& source) { return dropped(source); },
      failures_max, tally);
  if (!known) follow_traffic(tally);
}

void AdaptiveVerifier::trace(Lid lid, LidTally& tally) {
  lid_ = lid;
  owner_ = fabric_.endport_of(lid);
  if (owner_ == kNoEndport || choices_as_before(lid)) return;
  cached_owner_ = owner_;
  find_steps();
  find_ends();
  follow_traffic(tally);
}

/// Hosts at one switch often use the same groups: then only the last hop differs.
bool AdaptiveVerifier::choices_as_before(Lid lid) {
  const Endport& owner = fabric_.endport(owner_);
  const auto is_ca = [&](EndportId id) { return !fabric_.is_switch(fabric_.endport(id).node); };
  const PathSl::Kind kind = routes_.path_sl.kind();
  bool same = cached_owner_ != kNoEndport && owner.sw != kNoSwitch && !common_.drops &&
              !common_.scarce && owner.sw == fabric_.endport(cached_owner_).sw &&
              is_ca(owner_) == is_ca(cached_owner_) &&
              (kind == PathSl::Kind::kUniform || kind == PathSl::Kind::kBySwitchPair);
  for (std::uint32_t s = 0; s < ports_.size(); ++s) {
    const SwitchId sw(s);
    PortMask ports;
    if (const PortMask* group = routes_.adaptive->group_of(sw, lid)) ports = *group;
    ports.set(routes_.lfts.port(sw, lid).value());
    if (sw == owner.sw) {
      PortMask out;
      out.set(owner.sw_port.value());
      same = same && ports == out && ends_[s].end == WalkEnd::kArrived;
    } else {
      same = same && ports == ports_[s];
    }
    ports_[s] = ports;
  }
  return same;
}

void AdaptiveVerifier::find_steps() {
  for (std::uint32_t s = 0; s < steps_.size(); ++s) {
    steps_[s].clear();
    for_each_port(ports_[s], [&](PortNum port) {
      steps_[s].push_back(step(fabric_, SwitchId(s), port, owner_));
    });
  }
}

void AdaptiveVerifier::find_ends() {
  for (LidEnd& end : ends_) end.known = false;
  for (std::uint32_t s = 0; s < ends_.size(); ++s)
    if (!ends_[s].known) find_end(s);
}

/// Depth first: the end at a switch is the worst of all selections, that is the first that is not
/// an arrival. A packet that can reach a switch which is still open can return to it.
void AdaptiveVerifier::find_end(std::uint32_t start) {
  struct Frame {
    std::uint32_t at;
    std::size_t next;
  };
  std::vector<Frame> path{{start, 0}};
  open_[start] = 1;
  ends_[start] = {false, WalkEnd::kArrived, SwitchId(start)};
  const auto worsen = [&](std::uint32_t at, WalkEnd end, SwitchId where) {
    LidEnd& mine = ends_[at];
    // A loop takes precedence: it also blocks other packets.
    if (mine.end == WalkEnd::kArrived || (end == WalkEnd::kLoop && mine.end != WalkEnd::kLoop))
      mine = {mine.known, end, where};
  };
  while (!path.empty()) {
    const std::uint32_t at = path.back().at;
    if (path.back().next == steps_[at].size()) {
      ends_[at].known = true;
      open_[at] = 0;
      path.pop_back();
      if (!path.empty() && ends_[at].end != WalkEnd::kArrived)
        worsen(path.back().at, ends_[at].end, ends_[at].where);
      continue;
    }
    const Step& choice = steps_[at][path.back().next++];
    if (choice.channel == kNoChannel) {
      if (choice.end != WalkEnd::kArrived) worsen(at, choice.end, SwitchId(at));
      continue;
    }
    const std::uint32_t to = fabric_.channel(choice.channel).to.value();
    if (open_[to]) {
      worsen(at, WalkEnd::kLoop, SwitchId(at));
    } else if (ends_[to].known) {
      if (ends_[to].end != WalkEnd::kArrived) worsen(at, ends_[to].end, ends_[to].where);
    } else {
      open_[to] = 1;
      ends_[to] = {false, WalkEnd::kArrived, SwitchId(to)};
      path.push_back({to, 0});
    }
  }
}

template <class Body>
void AdaptiveVerifier::follow(SwitchId at, PortNum in, Sl sl, const Body& body) {
  pending_.clear();
  std::optional<Vertex> held;
  while (true) {
    for (const Step& choice : steps_[at.value()]) {
      const std::uint8_t vl = choice.port == kNoRoute || choice.port == PortNum(0)
                                  ? std::uint8_t{0}
                                  : routes_.sl2vl.vl(at, in, choice.port, sl).value();
      const Vertex wanted{choice.channel, vl};
      if (body(Hop{held, wanted, at, choice.port}) && choice.channel != kNoChannel && vl != kDropVl)
        pending_.push_back(wanted);
    }
    if (pending_.empty()) return;
    held = pending_.back();
    pending_.pop_back();
    at = fabric_.channel(held->channel).to;
    in = fabric_.channel(held->channel).to_port;
  }
}

/// Whether SL2VL maps may drop packets of this source (VL 15), requests or replies.
bool AdaptiveVerifier::dropped(const Endport& source) {
  const SwitchId destination = fabric_.endport(owner_).sw;
  if (destination == kNoSwitch) return false;
  const PathSls::Mask sls = sls_.from_endport(source, destination, lid_);
  bool lost = false;
  for (std::uint8_t sl = 0; sl < kSlCount && !lost; ++sl) {
    if ((sls >> sl & 1) == 0) continue;
    ++search_;
    follow(source.sw, source.sw_port, Sl(sl), [&](const Hop& hop) {
      if (hop.wanted.vl == kDropVl) lost = true;
      if (hop.wanted.channel == kNoChannel || hop.wanted.vl == kDropVl) return false;
      if (visited_[key(hop.wanted)] == search_) return false;
      visited_[key(hop.wanted)] = search_;
      return true;
    });
  }
  return lost;
}

void AdaptiveVerifier::follow_all(SwitchId at, PortNum in, PathSls::Mask sls,
                                  DependencyGraph& graph, LidTally& tally) {
  for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
    if ((sls >> sl & 1) == 0) continue;
    follow(at, in, Sl(sl), [&](const Hop& hop) {
      if (hop.wanted.vl == kDropVl) return false;
      if (common_.scarce) note_lane(fabric_, hop.at, hop.out, hop.wanted.vl, tally);
      if (hop.wanted.channel == kNoChannel) return false;
      if (hop.held) graph.add(*hop.held, hop.wanted);
      // The rest of the path was followed for earlier packets on this SL.
      const std::size_t place = key(hop.wanted);
      if (seen_lid_[place] != lid_.value()) {
        seen_lid_[place] = lid_.value();
        seen_[place] = 0;
      }
      if ((seen_[place] >> sl & 1) != 0) return false;
      seen_[place] |= static_cast<PathSls::Mask>(1u << sl);
      return true;
    });
  }
}

void AdaptiveVerifier::follow_traffic(LidTally& tally) {
  const SwitchId destination = fabric_.endport(owner_).sw;
  if (destination == kNoSwitch) return;
  const bool for_ca = !fabric_.is_switch(fabric_.endport(owner_).node);
  DependencyGraph& of_cas = for_ca ? dependencies_.cas : dependencies_.switches;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    for (const EndportId host : fabric_.endports_at(SwitchId(s))) {
      if (host == owner_) continue;
      const Endport& source = fabric_.endport(host);
      const PathSls::Mask sls = sls_.from_endport(source, destination, lid_);
      if (common_.scarce && routes_.sl2vl.uniform())
        note_injected(fabric_, routes_, source, sls, tally);
      follow_all(SwitchId(s), source.sw_port,
                 routes_.sl2vl.uniform() ? sls_.from_cas(SwitchId(s), destination, lid_) : sls,
                 of_cas, tally);
      // Equal VLs: one port represents all ports of the switch.
      if (routes_.sl2vl.uniform() && !common_.scarce) break;
    }
  }
  if (!for_ca) return;  // switches do not send to each other
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    follow_all(SwitchId(s), PortNum(0), sls_.from_switch(SwitchId(s), destination, lid_),
               dependencies_.switches, tally);
}

bool may_leave_by(const Routes& routes, SwitchId sw, Lid lid, PortNum port) {
  bool may = false;
  for_each_choice(routes.lfts, routes.adaptive ? &*routes.adaptive : nullptr, sw, lid,
                  [&](PortNum choice) { may = may || choice == port; });
  return may;
}

bool may_wait(const Fabric& fabric, const Routes& routes, const Endport& source, Lid lid, Sl sl,
              DependencyGraph::Vertex from, DependencyGraph::Vertex to) {
  const EndportId owner = fabric.endport_of(lid);
  const Channel& first = fabric.channel(from.channel);
  const Channel& second = fabric.channel(to.channel);
  if (routes.sl2vl.vl(first.to, first.to_port, second.from_port, sl).value() != to.vl) return false;
  struct Place {
    SwitchId at;
    PortNum in;
  };
  // A path without selection is followed until it repeats.
  const std::size_t places = routes.adaptive ? fabric.channel_count() * std::size_t{kSlCount} : 0;
  std::vector<bool> seen(places, false);
  std::vector<Place> pending{{source.sw, source.sw_port}};
  for (std::uint32_t hops = 0; !pending.empty(); ++hops) {
    if (!routes.adaptive && hops > fabric.switch_count()) return false;
    const Place place = pending.back();
    pending.pop_back();
    bool found = false;
    for_each_choice(routes.lfts, routes.adaptive ? &*routes.adaptive : nullptr, place.at, lid,
                    [&](PortNum port) {
                      const Step next = step(fabric, place.at, port, owner);
                      if (next.channel == kNoChannel) return;
                      const std::uint8_t vl = routes.sl2vl.vl(place.at, place.in, port, sl).value();
                      if (next.channel == from.channel && vl == from.vl) found = true;
                      const std::size_t key = next.channel.value() * std::size_t{kSlCount} + vl;
                      if (vl == kDropVl || (routes.adaptive && seen[key])) return;
                      if (routes.adaptive) seen[key] = true;
                      pending.push_back(
                          {fabric.channel(next.channel).to, fabric.channel(next.channel).to_port});
                    });
    if (found) return true;
  }
  return false;
}

}  // namespace weft
