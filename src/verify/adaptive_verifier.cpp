// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verify/adaptive_verifier.h"

#include <algorithm>
#include <bit>

#include "verify/choices/worst_end.h"

namespace weft {

AdaptiveVerifier::AdaptiveVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                                   const PathSls& sls, Dependencies& dependencies)
    : fabric_(fabric),
      routes_(routes),
      common_(common),
      sls_(sls),
      dependencies_(dependencies),
      keeps_lanes_(routes.sl2vl.uniform() && !common.drops && !common.scarce),
      choices_(routes),
      steps_(fabric.switch_count()),
      is_last_(fabric.switch_count(), 0),
      ends_(fabric.switch_count()),
      open_(fabric.switch_count(), 0),
      height_(fabric.switch_count(), 0),
      of_cas_(fabric.switch_count(), 0),
      senders_(fabric.switch_count(), 0),
      is_renewed_(fabric.switch_count(), 0),
      version_(fabric.switch_count(), 0),
      reached_(fabric.switch_count(), 0) {
  if (keeps_lanes_) {
    const std::size_t vertices = fabric.channel_count() * std::size_t{common.vls};
    turns_added_.fill(std::vector<std::uint32_t>(vertices, 0));
  } else {
    walk_.emplace(fabric, routes, common, sls);
  }
}

void AdaptiveVerifier::verify(Lid lid, std::size_t failures_max, LidTally& tally) {
  const bool known = load(lid) || (is_followed_ && follow_changes());
  if (owner_ == kNoEndport) return;
  if (!known) find_ends();
  count(failures_max, tally);
  if (!known) follow_all_packets(tally);
}

void AdaptiveVerifier::trace(Lid lid, LidTally& tally) {
  const bool known = load(lid) || (is_followed_ && follow_changes());
  if (owner_ == kNoEndport || known) return;
  find_ends();
  follow_all_packets(tally);
}

/// Makes a LID the current LID. True if packets to it have the same ends and dependencies as
/// packets to the previous LID, except at the last hop.
bool AdaptiveVerifier::load(Lid lid) {
  lid_ = lid;
  const EndportId owner = fabric_.endport_of(lid);
  const auto changed = choices_.load(lid);
  bool known = owner != kNoEndport && was_followed_ && is_like_before(owner);
  const bool other_owner = owner != owner_;
  is_followed_ = is_followed_ && owner != kNoEndport && fabric_.endport(owner).sw != kNoSwitch &&
                 is_of_switch(owner) == is_of_switch(owner_);
  owner_ = owner;
  for (const std::uint32_t s : changed) {
    known = known && SwitchId(s) == fabric_.endport(owner).sw;
    renew(s);
  }
  if (other_owner) {  // a step out of the switch fabric arrives only at one owner
    std::erase_if(last_, [&](std::uint32_t s) { return is_last_[s] == 0; });
    for (std::size_t i = 0, count = last_.size(); i < count; ++i) renew(last_[i]);
  }
  was_followed_ = owner != kNoEndport;
  return known && delivers(fabric_.endport(owner));
}

/// Whether packets to a LID have the same sources and SLs as packets to the previous LID.
bool AdaptiveVerifier::is_like_before(EndportId owner) const {
  const Endport& current = fabric_.endport(owner);
  const Endport& before = fabric_.endport(owner_);
  const PathSl::Kind kind = routes_.path_sl.kind();
  return current.sw != kNoSwitch && current.sw == before.sw && !common_.drops && !common_.scarce &&
         fabric_.is_switch(current.node) == fabric_.is_switch(before.node) &&
         (kind == PathSl::Kind::kUniform || kind == PathSl::Kind::kBySwitchPair);
}

bool AdaptiveVerifier::is_of_switch(EndportId owner) const {
  return fabric_.is_switch(fabric_.endport(owner).node);
}

/// Whether the owner's port is the only choice at its switch, as it was for the previous owner.
bool AdaptiveVerifier::delivers(const Endport& owner) const {
  const auto& last = steps_[owner.sw.value()];
  return last.size() == 1 && last.front().step.channel == kNoChannel &&
         last.front().step.end == WalkEnd::kArrived &&
         ends_[owner.sw.value()].end == WalkEnd::kArrived;
}

void AdaptiveVerifier::renew(std::uint32_t s) {
  auto& steps = steps_[s];
  if (is_followed_ && is_renewed_[s] == 0) {
    if (of_cas_[s] != 0) count_senders(s, ~std::uint32_t{0});
    is_renewed_[s] = 1;
    renewed_.push_back(s);
  }
  steps.clear();
  bool is_last = false;
  for_each_port(choices_.ports(SwitchId(s)), [&](PortNum port) {
    const Step next = step(fabric_, SwitchId(s), port, owner_);
    is_last = is_last || next.channel == kNoChannel;
    steps.push_back(
        {next, next.channel == kNoChannel ? kNoSwitch : fabric_.channel(next.channel).to});
  });
  if (is_last && is_last_[s] == 0) last_.push_back(s);
  is_last_[s] = is_last ? 1 : 0;
  ++version_[s];
}

void AdaptiveVerifier::find_ends() {
  for (LidEnd& end : ends_) end.known = false;
  finished_.clear();
  for (std::uint32_t s = 0; s < ends_.size(); ++s)
    if (!ends_[s].known) find_end(s);
  const Endport& owner = fabric_.endport(owner_);
  all_arrive_ = owner.sw != kNoSwitch && !common_.drops;
  switches_missing_ = 0;
  for (std::uint32_t s = 0; s < ends_.size() && all_arrive_; ++s) {
    if (ends_[s].end == WalkEnd::kArrived) continue;
    if (Fabric::endport_of(SwitchId(s)) != owner_) ++switches_missing_;
    all_arrive_ =
        ends_[s].end != WalkEnd::kLoop && !is_failure(fabric_, common_, SwitchId(s), owner);
  }
}

void AdaptiveVerifier::count(std::size_t failures_max, LidTally& tally) {
  if (all_arrive_) return count_all_arrived(fabric_, lid_, common_, switches_missing_, tally);
  count_ends(
      fabric_, lid_, ends_, common_, [&](const Endport& source) { return where_dropped(source); },
      failures_max, tally);
}

/// The end at a switch is the worst end of all selections.
void AdaptiveVerifier::find_end(std::uint32_t start) {
  struct Graph {
    AdaptiveVerifier& verifier;
    void enter(std::uint32_t /*s*/) const {}
    const std::vector<Choice>& choices(std::uint32_t s) const { return verifier.steps_[s]; }
    std::uint32_t next(const Choice& choice) const { return choice.to.value(); }
    SwitchId at(std::uint32_t s) const { return SwitchId(s); }
    void finish(std::uint32_t s) const { verifier.finished_.push_back(s); }
  };
  find_worst_end(start, Graph{*this}, ends_, open_);
}

/// A switch at which SL2VL maps may drop requests or replies of this source, or kNoSwitch.
SwitchId AdaptiveVerifier::where_dropped(const Endport& source) {
  return walk_->where_dropped(source, fabric_.endport(owner_).sw, lid_, each_step());
}

/// Follows all packets to the LID, and stores the state that follow_changes() needs for the next
/// LID.
void AdaptiveVerifier::follow_all_packets(LidTally& tally) {
  follow_traffic(tally);
  for (const std::uint32_t s : renewed_) is_renewed_[s] = 0;
  renewed_.clear();
  to_check_.clear();
  is_followed_ = keeps_lanes_ && routes_.path_sl.kind() == PathSl::Kind::kUniform && all_arrive_ &&
                 switches_missing_ == 0;
  if (!is_followed_) return;
  std::ranges::fill(senders_, 0);
  for (const std::uint32_t s : finished_) {
    height_[s] = height_of(s);
    if (of_cas_[s] != 0) count_senders(s, 1);
  }
  to_check_.clear();
}

/// Follows only packets with steps that differ from those to the previous LID, for which all
/// packets arrived. All packets arrive again if all ends are arrivals, and if each switch can have
/// a height above those of its next hops. Only switches with other steps, and switches that send to
/// such switches, can have new dependencies. False if some packets do not arrive, or if too many
/// switches must be followed.
bool AdaptiveVerifier::follow_changes() {
  is_followed_ = raise_heights();
  if (!is_followed_) return false;
  renew_reach();
  add_changed_turns();
  for (const std::uint32_t s : renewed_) is_renewed_[s] = 0;
  renewed_.clear();
  return true;
}

std::uint32_t AdaptiveVerifier::height_of(std::uint32_t s) const {
  std::uint32_t height = 0;
  for (const Choice& choice : steps_[s])
    if (choice.to != kNoSwitch) height = std::max(height, height_[choice.to.value()] + 1);
  return height;
}

bool AdaptiveVerifier::raise_heights() {
  for (const std::uint32_t s : renewed_) {
    height_[s] = 0;  // heights are raised only where necessary
    for (const Choice& choice : steps_[s])
      if (choice.to == kNoSwitch && choice.step.end != WalkEnd::kArrived) return false;
  }
  to_raise_ = renewed_;
  const std::size_t most = renewed_.size() + height_.size();
  for (std::size_t head = 0; head < to_raise_.size(); ++head) {
    if (head == most) return false;  // too many switches, or a loop
    const std::uint32_t s = to_raise_[head];
    const std::uint32_t height = height_of(s);
    if (height <= height_[s]) continue;
    height_[s] = height;
    // Links are bidirectional: all switches that may send to this switch are its neighbors.
    for (const Channel& channel : fabric_.channels_from(SwitchId(s)))
      if (height_[channel.to.value()] <= height) to_raise_.push_back(channel.to.value());
  }
  return true;
}

/// Finds the switches that packets of CAs may pass. If a switch was not passed for the previous
/// LID, or is no longer passed, it counts as renewed, because its dependencies belong to the other
/// graph.
void AdaptiveVerifier::renew_reach() {
  for (const std::uint32_t s : renewed_)
    if (of_cas_[s] != 0) count_senders(s, 1);
  while (!to_check_.empty()) {
    const std::uint32_t s = to_check_.back();
    to_check_.pop_back();
    const bool passes = common_.cas_at[s] > 0 || senders_[s] > 0;
    if (passes == (of_cas_[s] != 0)) continue;
    of_cas_[s] = passes ? 1 : 0;
    count_senders(s, passes ? 1 : ~std::uint32_t{0});
    if (is_renewed_[s] == 0) renewed_.push_back(s);
    is_renewed_[s] = 1;
  }
}

/// Adds `change`, modulo 2^32, to the number of senders of each next hop of a switch.
void AdaptiveVerifier::count_senders(std::uint32_t s, std::uint32_t change) {
  for (const Choice& choice : steps_[s]) {
    if (choice.to == kNoSwitch) continue;
    senders_[choice.to.value()] += change;
    to_check_.push_back(choice.to.value());
  }
}

void AdaptiveVerifier::add_changed_turns() {
  const SwitchId destination = fabric_.endport(owner_).sw;
  const std::uint16_t lanes = lanes_of(routes_, sls_.from_cas(destination, destination, lid_));
  const bool for_ca = !is_of_switch(owner_);
  const auto add = [&](std::uint32_t from, bool all) {
    const bool of_cas = of_cas_[from] != 0;
    if (!for_ca && !of_cas) return;  // no traffic between switches
    DependencyGraph& graph = for_ca && of_cas ? dependencies_.cas : dependencies_.switches;
    for (const Choice& choice : steps_[from])
      if (choice.to != kNoSwitch && (all || is_renewed_[choice.to.value()] != 0))
        add_turns(choice, lanes, graph);
  };
  for (const std::uint32_t s : renewed_) {
    add(s, true);
    for (const Channel& channel : fabric_.channels_from(SwitchId(s)))
      if (is_renewed_[channel.to.value()] == 0) add(channel.to.value(), false);
  }
}

void AdaptiveVerifier::follow_traffic(LidTally& tally) {
  if (fabric_.endport(owner_).sw == kNoSwitch) return;
  if (keeps_lanes_)
    follow_lanes();
  else
    walk_->add_traffic(lid_, owner_, dependencies_, tally, each_step());
}

/// Follows packets that keep their VL: the choices at a switch are the same for all input channels,
/// so each switch is visited once for each VL.
void AdaptiveVerifier::follow_lanes() {
  const SwitchId destination = fabric_.endport(owner_).sw;
  const bool for_ca = !fabric_.is_switch(fabric_.endport(owner_).node);
  std::ranges::fill(reached_, std::uint16_t{0});
  DependencyGraph& of_cas = for_ca ? dependencies_.cas : dependencies_.switches;
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
    const auto hosts = fabric_.endports_at(SwitchId(s));
    if (hosts.empty() || (hosts.size() == 1 && hosts.front() == owner_)) continue;
    spread(s, lanes_of(routes_, sls_.from_cas(SwitchId(s), destination, lid_)), of_cas);
  }
  // of_cas_ may include the switch of the LID's owner. If all packets arrive, this switch sends
  // none over a channel.
  for (std::uint32_t s = 0; s < of_cas_.size(); ++s)
    of_cas_[s] = reached_[s] != 0 || common_.cas_at[s] > 0 ? 1 : 0;
  if (!for_ca) return;  // no traffic between switches
  for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
    spread(s, lanes_of(routes_, sls_.from_switch(SwitchId(s), destination, lid_)),
           dependencies_.switches);
}

/// Adds the dependencies of packets that enter at a switch.
void AdaptiveVerifier::spread(std::uint32_t s, std::uint16_t lanes, DependencyGraph& graph) {
  lanes = static_cast<std::uint16_t>(lanes & ~reached_[s]);
  if (lanes == 0) return;
  reached_[s] |= lanes;
  to_spread_.assign(1, s);
  while (!to_spread_.empty()) {
    const std::uint32_t at = to_spread_.back();
    to_spread_.pop_back();
    for (const Choice& choice : steps_[at]) {
      if (choice.step.channel == kNoChannel) continue;
      add_turns(choice, lanes, graph);
      // All VLs are followed together, except at switches that packets reached on all of them.
      std::uint16_t& reached = reached_[choice.to.value()];
      if ((reached & lanes) == lanes) continue;
      reached |= lanes;
      to_spread_.push_back(choice.to.value());
    }
  }
}

/// Adds the turns from a channel at the switch at the end of the channel.
void AdaptiveVerifier::add_turns(const Choice& in, std::uint16_t lanes, DependencyGraph& graph) {
  auto& added = turns_added_[&graph == &dependencies_.cas ? 0 : 1];
  const std::uint32_t version = version_[in.to.value()];
  const DependencyGraph::Marker marker(graph);
  const std::size_t first_bit = graph.first_bit(in.step.channel);
  const std::uint32_t first_next = fabric_.first_channel(in.to).value();
  for (unsigned left = lanes; left != 0; left &= left - 1) {
    const Vertex held{in.step.channel, static_cast<std::uint8_t>(std::countr_zero(left))};
    std::uint32_t& before = added[key(held)];
    if (before == version) continue;
    before = version;
    for (const Choice& out : steps_[in.to.value()])
      if (out.step.channel != kNoChannel)
        marker.mark(first_bit + (out.step.channel.value() - first_next) * graph.bits_per_pair(),
                    std::uint64_t{1} << held.vl);
  }
}

bool may_leave_by(const Routes& routes, SwitchId sw, Lid lid, PortNum port) {
  if (routes.lfts.port(sw, lid) == port) return true;
  if (!routes.adaptive) return false;
  for (unsigned table = 0; table < routes.adaptive->table_count(); ++table) {
    const PortMask* const group = routes.adaptive->table(table).group_of(sw, lid);
    if (group != nullptr && (*group)[port.value()]) return true;
  }
  return false;
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
  // Without AR there is only one path, which is followed for at most switch_count() hops.
  const std::size_t places = routes.adaptive ? fabric.channel_count() * std::size_t{kSlCount} : 0;
  std::vector<bool> seen(places, false);
  std::vector<Place> pending{{source.sw, source.sw_port}};
  for (std::uint32_t hops = 0; !pending.empty(); ++hops) {
    if (!routes.adaptive && hops > fabric.switch_count()) return false;
    const Place place = pending.back();
    pending.pop_back();
    bool found = false;
    for_each_choice(routes.lfts, routes.adaptive ? &*routes.adaptive : nullptr, place.at, place.in,
                    sl, lid, [&](PortNum port) {
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
