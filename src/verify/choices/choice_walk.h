// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Follows packets for one LID from channel to channel, through all ports that switches may select,
// with their VL on each channel.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/lid_tally.h"
#include "verify/path_sls.h"
#include "verify/step.h"

namespace weft {

/// One object per task. All arguments must outlive the object. In all functions, the call
/// steps(at, in, sl, body) calls body(const Step&) for each possible step of packets with an SL
/// that enter a switch by a port. Cost for each LID: O(channels * VLs * SLs in use).
class ChoiceWalk {
 public:
  ChoiceWalk(const Fabric& fabric, const Routes& routes, const Common& common, const PathSls& sls)
      : fabric_(fabric),
        routes_(routes),
        common_(common),
        sls_(sls),
        has_equal_hosts_(!depends_on_input(routes)),
        seen_lid_(fabric.channel_count() * std::size_t{common.vls}, 0),
        seen_(seen_lid_.size(), 0),
        visited_(common.drops ? seen_lid_.size() : 0, 0) {}

  /// A switch at which SL2VL maps may drop requests or replies of a source (by VL 15) to a LID of
  /// an endport at `destination`, or kNoSwitch. Only with Common::drops.
  template <class Steps>
  SwitchId where_dropped(const Endport& source, SwitchId destination, Lid lid, const Steps& steps) {
    SwitchId where = kNoSwitch;
    if (destination == kNoSwitch) return where;
    const PathSls::Mask sls = sls_.from_endport(source, destination, lid);
    for (std::uint8_t sl = 0; sl < kSlCount && where == kNoSwitch; ++sl) {
      if ((sls >> sl & 1) == 0) continue;
      ++search_;
      follow(source.sw, source.sw_port, Sl(sl), steps, [&](const Hop& hop) {
        if (hop.wanted.vl == kDropVl && where == kNoSwitch) where = hop.at;
        if (hop.wanted.channel == kNoChannel || hop.wanted.vl == kDropVl) return false;
        return std::exchange(visited_[key(hop.wanted)], search_) != search_;
      });
    }
    return where;
  }

  /// Adds the dependencies of all packets to a LID, and records VLs that their links lack.
  template <class Steps>
  void add_traffic(Lid lid, EndportId owner, Dependencies& dependencies, LidTally& tally,
                   const Steps& steps) {
    const SwitchId destination = fabric_.endport(owner).sw;
    if (destination == kNoSwitch) return;
    const bool for_ca = !fabric_.is_switch(fabric_.endport(owner).node);
    DependencyGraph& of_cas = for_ca ? dependencies.cas : dependencies.switches;
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s) {
      for (const EndportId host : fabric_.endports_at(SwitchId(s))) {
        if (host == owner) continue;
        const Endport& source = fabric_.endport(host);
        const PathSls::Mask sls = sls_.from_endport(source, destination, lid);
        if (common_.scarce && routes_.sl2vl.uniform())
          note_injected(fabric_, routes_, source, sls, tally);
        add(SwitchId(s), source.sw_port,
            has_equal_hosts_ ? sls_.from_cas(SwitchId(s), destination, lid) : sls, lid, of_cas,
            tally, steps);
        if (has_equal_hosts_ && !common_.scarce) break;
      }
    }
    if (!for_ca) return;  // no traffic between switches
    for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
      add(SwitchId(s), PortNum(0), sls_.from_switch(SwitchId(s), destination, lid), lid,
          dependencies.switches, tally, steps);
  }

 private:
  using Vertex = DependencyGraph::Vertex;
  /// A packet that leaves a switch through a port; `wanted` has no channel if its path ends there.
  struct Hop {
    std::optional<Vertex> held;
    Vertex wanted;
    SwitchId at;
    PortNum out;
  };

  std::size_t key(Vertex v) const { return v.channel.value() * std::size_t{common_.vls} + v.vl; }

  template <class Steps>
  void add(SwitchId at, PortNum in, PathSls::Mask sls, Lid lid, DependencyGraph& graph,
           LidTally& tally, const Steps& steps) {
    for (std::uint8_t sl = 0; sl < kSlCount; ++sl) {
      if ((sls >> sl & 1) == 0) continue;
      follow(at, in, Sl(sl), steps, [&](const Hop& hop) {
        if (hop.wanted.vl == kDropVl) return false;
        if (common_.scarce) note_lane(fabric_, hop.at, hop.out, hop.wanted.vl, tally);
        if (hop.wanted.channel == kNoChannel) return false;
        if (hop.held) graph.add(*hop.held, hop.wanted);
        // The channel and the SL determine the rest of the path, so it was followed for earlier
        // packets with this SL.
        const std::size_t place = key(hop.wanted);
        if (std::exchange(seen_lid_[place], lid.value()) != lid.value()) seen_[place] = 0;
        const auto bit = static_cast<PathSls::Mask>(1u << sl);
        return (std::exchange(seen_[place], seen_[place] | bit) & bit) == 0;
      });
    }
  }

  /// Calls body(Hop) for each hop of packets that enter at a switch; `held` is empty at first. If
  /// body returns false, the hops after this hop are skipped.
  template <class Steps, class Body>
  void follow(SwitchId at, PortNum in, Sl sl, const Steps& steps, const Body& body) {
    pending_.clear();
    std::optional<Vertex> held;
    while (true) {
      steps(at, in, sl, [&](const Step& choice) {
        const std::uint8_t vl = choice.port == kNoRoute || choice.port == PortNum(0)
                                    ? std::uint8_t{0}
                                    : routes_.sl2vl.vl(at, in, choice.port, sl).value();
        const Vertex wanted{choice.channel, vl};
        if (body(Hop{held, wanted, at, choice.port})) pending_.push_back(wanted);
      });
      if (pending_.empty()) return;
      held = pending_.back();
      pending_.pop_back();
      at = fabric_.channel(held->channel).to;
      in = fabric_.channel(held->channel).to_port;
    }
  }

  const Fabric& fabric_;
  const Routes& routes_;
  const Common& common_;
  const PathSls& sls_;
  const bool has_equal_hosts_;  // packets of one SL from all CAs at a switch have the same paths
  // By channel and VL: SLs in seen_ were followed to the LID in seen_lid_.
  std::vector<std::uint16_t> seen_lid_;
  std::vector<PathSls::Mask> seen_;
  std::vector<std::uint32_t> visited_;  // by channel and VL: last search_ that visited it
  std::uint32_t search_ = 0;
  std::vector<Vertex> pending_;
};

}  // namespace weft
