// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/private_tables/private_verifier.h"

#include <utility>

#include "base/check.h"

namespace weft {
namespace {

/// Combines the ends of several selections: a loop takes precedence, because it also blocks other
/// packets; otherwise the first end that is not an arrival.
void worsen(LidEnd& mine, WalkEnd end, SwitchId where) {
  if (end == WalkEnd::kArrived) return;
  if (mine.end == WalkEnd::kArrived || (end == WalkEnd::kLoop && mine.end != WalkEnd::kLoop))
    mine = {mine.known, end, where};
}

/// Combines the ends of packets of several endports. The order of the endports has no effect on the
/// kind of the result.
void combine(LidEnd& mine, const LidEnd& other) {
  const bool is_first = mine.end == WalkEnd::kArrived || other.end < mine.end;
  if (other.end == WalkEnd::kLoop || (mine.end != WalkEnd::kLoop && is_first))
    mine = {true, other.end, other.where};
}

}  // namespace

PrivateVerifier::PrivateVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                                 const PathSls& sls, Dependencies& dependencies)
    : fabric_(fabric),
      routes_(routes),
      adaptive_(*routes.adaptive),
      common_(common),
      sls_(sls),
      dependencies_(dependencies),
      ends_(fabric.switch_count()),
      state_ends_(fabric.switch_count() * std::size_t{adaptive_.table_count()}),
      open_(state_ends_.size(), 0),
      seen_lid_(fabric.channel_count() * std::size_t{common.vls}, 0),
      seen_(seen_lid_.size(), 0),
      visited_(common.drops ? seen_lid_.size() : 0, 0) {
  CHECK(adaptive_.has_private_tables());
  for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
    std::uint8_t first = 0;
    while (!adaptive_.selection().are_equal(Sl(first), Sl(sl))) ++first;
    first_like_[sl] = Sl(first);
  }
}

void PrivateVerifier::verify(Lid lid, std::size_t failures_max, LidTally& tally) {
  if (!load(lid)) return;
  find_ends();
  count_ends(
      fabric_, lid_, ends_, common_, [&](const Endport& source) { return dropped(source); },
      failures_max, tally);
  follow_traffic(tally);
}

void PrivateVerifier::trace(Lid lid, LidTally& tally) {
  if (load(lid)) follow_traffic(tally);
}

bool PrivateVerifier::load(Lid lid) {
  lid_ = lid;
  owner_ = fabric_.endport_of(lid);
  return owner_ != kNoEndport;
}

/// The possible steps of packets at a switch, by output port.
std::vector<Step> PrivateVerifier::steps(const State& state) const {
  PortMask ports;
  for_each_choice(routes_.lfts, &adaptive_.table(state.table), state.at, lid_,
                  [&](PortNum port) { ports.set(port.value()); });
  std::vector<Step> found;
  for_each_port(ports,
                [&](PortNum port) { found.push_back(step(fabric_, state.at, port, owner_)); });
  return found;
}

/// Finds the worst end of the packets of each switch. Packets of SLs with the same tables have the
/// same ends.
void PrivateVerifier::find_ends() {
  const Endport& owner = fabric_.endport(owner_);
  for (std::uint32_t s = 0; s < ends_.size(); ++s)
    ends_[s] = {true, WalkEnd::kArrived, SwitchId(s)};
  std::array<bool, kSlCount> is_done{};
  const auto add = [&](SwitchId sw, PortNum in, const Endport& source, Sl first) {
    const PathSls::Mask sls =
        owner.sw == kNoSwitch ? PathSls::Mask{1} : sls_.from_endport(source, owner.sw, lid_);
    for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
      if ((sls >> sl & 1) == 0 || first_like_[sl] != first) continue;
      const State start{sw, table_of(sw, in, first)};
      if (!state_ends_[index(start)].known) find_end(start, first);
      const LidEnd& end = state_ends_[index(start)];
      if (end.end != WalkEnd::kArrived) combine(ends_[sw.value()], end);
    }
  };
  for (std::size_t sl = 0; sl < kSlCount; ++sl) {
    const Sl first = first_like_[sl];
    if (std::exchange(is_done[first.value()], true)) continue;
    for (LidEnd& end : state_ends_) end.known = false;
    for (std::uint32_t s = 0; s < ends_.size(); ++s) {
      const Endport& own = fabric_.endport(Fabric::endport_of(SwitchId(s)));
      add(SwitchId(s), PortNum(0), own, first);
      for (const EndportId host : fabric_.endports_at(SwitchId(s)))
        add(SwitchId(s), fabric_.endport(host).sw_port, fabric_.endport(host), first);
    }
  }
}

/// Depth-first search. If a packet can reach a state for which the search is still open, it can
/// return to this state, which is a loop.
void PrivateVerifier::find_end(const State& start, Sl sl) {
  struct Frame {
    State state;
    std::vector<Step> steps;
    std::size_t next = 0;
  };
  std::vector<Frame> path;
  const auto enter = [&](const State& state) {
    open_[index(state)] = 1;
    state_ends_[index(state)] = {false, WalkEnd::kArrived, state.at};
    path.push_back({state, steps(state)});
  };
  enter(start);
  while (!path.empty()) {
    const State at = path.back().state;
    LidEnd& mine = state_ends_[index(at)];
    if (path.back().next == path.back().steps.size()) {
      mine.known = true;
      open_[index(at)] = 0;
      path.pop_back();
      if (!path.empty()) worsen(state_ends_[index(path.back().state)], mine.end, mine.where);
      continue;
    }
    const Step choice = path.back().steps[path.back().next++];
    if (choice.channel == kNoChannel) {
      worsen(mine, choice.end, at.at);
      continue;
    }
    const Channel& channel = fabric_.channel(choice.channel);
    const State to{channel.to, table_of(channel.to, channel.to_port, sl)};
    const LidEnd& there = state_ends_[index(to)];
    if (open_[index(to)] != 0)
      worsen(mine, WalkEnd::kLoop, at.at);
    else if (there.known)
      worsen(mine, there.end, there.where);
    else
      enter(to);
  }
}

template <class Body>
void PrivateVerifier::follow(SwitchId at, PortNum in, Sl sl, const Body& body) {
  pending_.clear();
  std::optional<Vertex> held;
  while (true) {
    for (const Step& choice : steps({at, table_of(at, in, sl)})) {
      const std::uint8_t vl = choice.port == kNoRoute || choice.port == PortNum(0)
                                  ? std::uint8_t{0}
                                  : routes_.sl2vl.vl(at, in, choice.port, sl).value();
      const Vertex wanted{choice.channel, vl};
      if (body(Hop{held, wanted, at, choice.port})) pending_.push_back(wanted);
    }
    if (pending_.empty()) return;
    held = pending_.back();
    pending_.pop_back();
    at = fabric_.channel(held->channel).to;
    in = fabric_.channel(held->channel).to_port;
  }
}

/// Whether SL2VL maps may drop requests or replies of this source (by VL 15).
bool PrivateVerifier::dropped(const Endport& source) {
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
      return std::exchange(visited_[key(hop.wanted)], search_) != search_;
    });
  }
  return lost;
}

void PrivateVerifier::follow_all(SwitchId at, PortNum in, PathSls::Mask sls, DependencyGraph& graph,
                                 LidTally& tally) {
  for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
    if ((sls >> sl & 1) == 0) continue;
    follow(at, in, Sl(sl), [&](const Hop& hop) {
      if (hop.wanted.vl == kDropVl) return false;
      if (common_.scarce) note_lane(fabric_, hop.at, hop.out, hop.wanted.vl, tally);
      if (hop.wanted.channel == kNoChannel) return false;
      if (hop.held) graph.add(*hop.held, hop.wanted);
      // The channel determines the table at its end, so the rest of the path was followed for
      // earlier packets with this SL.
      const std::size_t place = key(hop.wanted);
      if (std::exchange(seen_lid_[place], lid_.value()) != lid_.value()) seen_[place] = 0;
      const auto bit = static_cast<PathSls::Mask>(1u << sl);
      return (std::exchange(seen_[place], seen_[place] | bit) & bit) == 0;
    });
  }
}

void PrivateVerifier::follow_traffic(LidTally& tally) {
  const SwitchId destination = fabric_.endport(owner_).sw;
  if (destination == kNoSwitch) return;
  const bool for_ca = !fabric_.is_switch(fabric_.endport(owner_).node);
  DependencyGraph& of_cas = for_ca ? dependencies_.cas : dependencies_.switches;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    for (const EndportId host : fabric_.endports_at(SwitchId(s))) {
      if (host == owner_) continue;
      const Endport& source = fabric_.endport(host);
      const PathSls::Mask sls = sls_.from_endport(source, destination, lid_);
      if (common_.scarce && routes_.sl2vl.uniform())
        note_injected(fabric_, routes_, source, sls, tally);
      follow_all(SwitchId(s), source.sw_port, sls, of_cas, tally);
    }
  if (!for_ca) return;  // no traffic between switches
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    follow_all(SwitchId(s), PortNum(0), sls_.from_switch(SwitchId(s), destination, lid_),
               dependencies_.switches, tally);
}

}  // namespace weft
