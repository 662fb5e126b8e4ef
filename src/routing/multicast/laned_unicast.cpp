// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/multicast/laned_unicast.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/parallel.h"
#include "routes/adaptive.h"
#include "routing/tables/destinations.h"

namespace weft::multicast {
namespace {

/// A bit for each SL that packets from one switch to another may have.
class SlsUsed {
 public:
  SlsUsed(const Fabric& fabric, const Routes& routes, bool replies)
      : routes_(routes), switches_(fabric.switch_count()) {
    if (!replies) return;
    replies_.assign(std::size_t{switches_} * switches_, 0);
    for (std::uint32_t e = 0; e < fabric.endport_count(); ++e) {
      const Endport& endport = fabric.endport(EndportId(e));
      if (!endport.addressed()) continue;
      for (unsigned i = 0; i < lid_count(endport); ++i)
        for (std::uint32_t s = 0; s < switches_; ++s)
          replies_[std::size_t{endport.sw.value()} * switches_ + s] |=
              bit(routes_.path_sl.sl(SwitchId(s), endport.sw, lid_at(endport, i)));
    }
  }

  std::uint16_t mask(SwitchId from, SwitchId to, Lid lid) const {
    const std::uint16_t own = bit(routes_.path_sl.sl(from, to, lid));
    return replies_.empty() ? own
                            : own | replies_[std::size_t{from.value()} * switches_ + to.value()];
  }

 private:
  static std::uint16_t bit(Sl sl) { return static_cast<std::uint16_t>(1u << sl.value()); }

  const Routes& routes_;
  const std::uint32_t switches_;
  std::vector<std::uint16_t> replies_;  // bits of SLs, in rows by source switch of the reply
};

/// Adds the turns of the packets for one LID. Packets of one SL that hold the same channel on the
/// same lane have the same remaining path, so each such state is visited once.
class LanedWalker {
 public:
  LanedWalker(const Fabric& fabric, const Routes& routes, const SlsUsed& sls, unsigned lanes,
              bool includes_switches, TurnSet& into)
      : fabric_(fabric),
        routes_(routes),
        sls_(sls),
        lanes_(lanes),
        includes_switches_(includes_switches),
        into_(into),
        seen_(std::size_t{fabric.channel_count()} * lanes * kSlCount, 0) {}

  void walk(Lid lid) {
    const EndportId owner = fabric_.endport_of(lid);
    if (owner == kNoEndport || !fabric_.endport(owner).addressed()) return;
    const Endport& target = fabric_.endport(owner);
    const bool to_switch = fabric_.is_switch(target.node);
    if (to_switch && !includes_switches_) return;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      const SwitchId from(s);
      const std::uint16_t sls = sls_.mask(from, target.sw, lid);
      // Switches do not send packets to each other.
      if (includes_switches_ && !to_switch) enter(from, PortNum(0), sls, lid);
      for (const EndportId source : fabric_.endports_at(from))
        enter(from, fabric_.endport(source).sw_port, sls, lid);
    }
    while (!open_.empty()) {
      const State state = open_.back();
      open_.pop_back();
      const Channel& held = fabric_.channel(state.channel);
      each_next(held.to, held.to_port, state.sl, lid, [&](const State& next) {
        into_.add(vertex(state), vertex(next));
        enter(next, lid);
      });
    }
  }

 private:
  struct State {
    ChannelId channel;
    unsigned lane;
    Sl sl;
  };

  std::uint32_t vertex(const State& state) const {
    return state.channel.value() * lanes_ + state.lane;
  }

  template <class Body>
  void each_next(SwitchId at, PortNum in, Sl sl, Lid lid, const Body& body) const {
    const ArTables* adaptive = routes_.adaptive ? &*routes_.adaptive : nullptr;
    for_each_choice(routes_.lfts, adaptive, at, in, sl, lid, [&](PortNum out) {
      const ChannelId channel = out == kNoRoute ? kNoChannel : fabric_.channel_at(at, out);
      if (channel == kNoChannel) return;
      const unsigned lane = routes_.sl2vl.vl(at, in, out, sl).value();
      if (lane < lanes_) body(State{channel, lane, sl});
    });
  }

  void enter(SwitchId at, PortNum in, std::uint16_t sls, Lid lid) {
    for (std::uint16_t left = sls; left != 0; left &= left - 1)
      each_next(at, in, Sl(static_cast<std::uint8_t>(std::countr_zero(left))), lid,
                [&](const State& first) { enter(first, lid); });
  }

  void enter(const State& state, Lid lid) {
    std::uint16_t& seen = seen_[std::size_t{vertex(state)} * kSlCount + state.sl.value()];
    if (seen == lid.value()) return;
    seen = lid.value();
    open_.push_back(state);
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const SlsUsed& sls_;
  const unsigned lanes_;
  const bool includes_switches_;
  TurnSet& into_;
  std::vector<std::uint16_t> seen_;  // by vertex and SL: the last LID
  std::vector<State> open_;
};

}  // namespace

TurnSet laned_unicast_turns(const Fabric& fabric, const Routes& routes, const Turns& turns,
                            unsigned lanes, Traffic traffic, unsigned threads) {
  const SlsUsed sls(fabric, routes, traffic.replies);
  const std::size_t lids = fabric.lid_top().value();
  const std::size_t workers = threads == 0 ? hardware_threads() : threads;
  const std::size_t share = lids / workers + 1;
  std::vector<TurnSet> found(lids / share + 1, TurnSet(turns));
  parallel_for(found.size(), threads, [&](std::size_t w) {
    LanedWalker walker(fabric, routes, sls, lanes, traffic.switches, found[w]);
    for (std::size_t lid = w * share; lid < std::min(lids + 1, (w + 1) * share); ++lid)
      walker.walk(Lid(static_cast<std::uint16_t>(lid)));
  });
  for (std::size_t w = 1; w < found.size(); ++w) found[0].add(found[w]);
  return std::move(found[0]);
}

}  // namespace weft::multicast
