#include "verify/choices.h"

#include <algorithm>

namespace weft {

ChoiceJudge::ChoiceJudge(const Fabric& fabric, const Routes& routes, const VerifyOptions& options,
                         const Common& common, Dependencies& dependencies)
    : fabric_(fabric),
      routes_(routes),
      options_(options),
      common_(common),
      dependencies_(dependencies),
      ports_(fabric.switch_count()),
      steps_(fabric.switch_count()),
      ends_(fabric.switch_count()),
      open_(fabric.switch_count(), 0),
      seen_(fabric.channel_count() * std::size_t{common.vls}, 0),
      visited_(common.drops ? seen_.size() : 0, 0) {}

void ChoiceJudge::judge(Lid lid, LidTally& tally) {
  lid_ = lid;
  owner_ = fabric_.endport_of(lid);
  if (owner_ == kNoEndport) return;
  const bool known = choices_as_before(lid);
  if (!known) {
    looked_at_ = owner_;
    find_steps();
    find_ends();
  }
  count_ends(
      fabric_, lid, ends_, common_, [&](const Endport& source) { return dropped(source); },
      options_.failures_max, tally);
  if (!known) follow_traffic();
}

/// Hosts at one switch are often reached by the same groups: then all is known but the last port.
bool ChoiceJudge::choices_as_before(Lid lid) {
  const Endport& owner = fabric_.endport(owner_);
  const auto is_ca = [&](EndportId id) { return !fabric_.is_switch(fabric_.endport(id).node); };
  const PathSl::Kind kind = routes_.path_sl.kind();
  bool same = looked_at_ != kNoEndport && owner.sw != kNoSwitch && !common_.drops &&
              owner.sw == fabric_.endport(looked_at_).sw && is_ca(owner_) == is_ca(looked_at_) &&
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

void ChoiceJudge::find_steps() {
  for (std::uint32_t s = 0; s < steps_.size(); ++s) {
    steps_[s].clear();
    for_each_port(ports_[s], [&](PortNum port) {
      steps_[s].push_back(step(fabric_, SwitchId(s), port, owner_));
    });
  }
}

void ChoiceJudge::find_ends() {
  for (LidEnd& end : ends_) end.known = false;
  for (std::uint32_t s = 0; s < ends_.size(); ++s)
    if (!ends_[s].known) find_end(s);
}

/// Depth first: a switch's end is the worst that some choice leads to, which is the first that is
/// not an arrival. Whoever can come to a switch that is still open can come back to where he was.
void ChoiceJudge::find_end(std::uint32_t start) {
  struct Frame {
    std::uint32_t at;
    std::size_t next;
  };
  std::vector<Frame> path{{start, 0}};
  open_[start] = 1;
  ends_[start] = {false, WalkEnd::kArrived, SwitchId(start)};
  const auto worsen = [&](std::uint32_t at, WalkEnd end, SwitchId where) {
    LidEnd& mine = ends_[at];
    // A loop is told before all else: it is what hurts others.
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
void ChoiceJudge::follow(SwitchId at, PortNum in, const Body& body) {
  const Sl sl = routes_.path_sl.sl(at, fabric_.endport(owner_).sw, lid_);
  pending_.clear();
  std::optional<Vertex> held;
  while (true) {
    for (const Step& choice : steps_[at.value()]) {
      const std::uint8_t vl = choice.port == kNoRoute || choice.port == PortNum(0)
                                  ? std::uint8_t{0}
                                  : routes_.sl2vl.vl(at, in, choice.port, sl).value();
      const Vertex wanted{choice.channel, vl};
      if (body(held, wanted, sl) && choice.channel != kNoChannel && vl != kDropVl)
        pending_.push_back(wanted);
    }
    if (pending_.empty()) return;
    held = pending_.back();
    pending_.pop_back();
    at = fabric_.channel(held->channel).to;
    in = fabric_.channel(held->channel).to_port;
  }
}

/// True where SL2VL maps may drop the packets of this source (VL 15).
bool ChoiceJudge::dropped(const Endport& source) {
  if (fabric_.endport(owner_).sw == kNoSwitch) return false;
  ++search_;
  bool lost = false;
  follow(source.sw, source.sw_port, [&](const std::optional<Vertex>&, Vertex wanted, Sl) {
    if (wanted.vl == kDropVl) lost = true;
    if (wanted.channel == kNoChannel || wanted.vl == kDropVl) return false;
    if (visited_[key(wanted)] == search_) return false;
    visited_[key(wanted)] = search_;
    return true;
  });
  return lost;
}

void ChoiceJudge::follow_traffic() {
  if (fabric_.endport(owner_).sw == kNoSwitch) return;
  const bool for_ca = !fabric_.is_switch(fabric_.endport(owner_).node);
  const auto add_to = [&](DependencyGraph& graph) {
    return [&](const std::optional<Vertex>& held, Vertex wanted, Sl sl) {
      if (wanted.channel == kNoChannel || wanted.vl == kDropVl) return false;
      if (held) graph.add(*held, wanted);
      // From here on the ways are those of whoever came before with this SL.
      const std::uint32_t stamp = lid_.value() * std::uint32_t{kSlCount} + sl.value();
      if (seen_[key(wanted)] == stamp) return false;
      seen_[key(wanted)] = stamp;
      return true;
    };
  };
  DependencyGraph& of_hosts = for_ca ? dependencies_.cas : dependencies_.switches;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    for (const EndportId host : fabric_.endports_at(SwitchId(s))) {
      if (host == owner_) continue;
      follow(SwitchId(s), fabric_.endport(host).sw_port, add_to(of_hosts));
      if (routes_.sl2vl.uniform()) break;  // equal VLs: one source at the switch speaks for all
    }
  }
  if (!for_ca) return;  // switches send each other nothing
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    follow(SwitchId(s), PortNum(0), add_to(dependencies_.switches));
}

bool may_leave_by(const Routes& routes, SwitchId sw, Lid lid, PortNum port) {
  bool may = false;
  for_each_choice(routes.lfts, routes.adaptive ? &*routes.adaptive : nullptr, sw, lid,
                  [&](PortNum choice) { may = may || choice == port; });
  return may;
}

bool may_wait(const Fabric& fabric, const Routes& routes, const Endport& source, Lid lid,
              DependencyGraph::Vertex from, DependencyGraph::Vertex to) {
  const EndportId owner = fabric.endport_of(lid);
  const Sl sl = routes.path_sl.sl(source.sw, fabric.endport(owner).sw, lid);
  const Channel& first = fabric.channel(from.channel);
  const Channel& second = fabric.channel(to.channel);
  if (routes.sl2vl.vl(first.to, first.to_port, second.from_port, sl).value() != to.vl) return false;
  struct Place {
    SwitchId at;
    PortNum in;
  };
  // A path without choices is followed for as long as it can be without a loop.
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
