// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The packets to one LID at single switches: where they go, and on which lanes they come. For
// static routes with one SL2VL map.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/path_sls.h"

namespace weft {

class LidFlow {
 public:
  /// All arguments must outlive it.
  LidFlow(const Fabric& fabric, const Routes& routes, const PathSls& sls);

  /// An assigned LID of an endport at a switch; all other functions refer to it.
  void select(Lid lid);
  bool is_of_switch() const { return of_switch_; }

  /// Lanes (bit masks) of packets between CAs, and of all packets that are traffic.
  struct Lanes {
    std::uint16_t cas = 0;
    std::uint16_t all = 0;
    bool operator==(const Lanes&) const = default;
  };

  /// No channel and no switch where no cable leads to a switch.
  struct Hop {
    ChannelId channel = kNoChannel;
    SwitchId to = kNoSwitch;
  };
  Hop next(std::uint32_t sw) const {
    const ChannelId channel =
        fabric_.channel_at(SwitchId(sw), routes_.lfts.port(SwitchId(sw), lid_));
    if (channel == kNoChannel) return {};
    return {channel, fabric_.channel(channel).to};
  }
  /// Calls body(switch) for each switch that sends packets for the LID to this one.
  template <class Body>
  void for_each_sender(std::uint32_t sw, const Body& body) const {
    find_sender(sw, [&](std::uint32_t sender) {
      body(sender);
      return false;
    });
  }
  /// Calls body(switch) until it returns true.
  template <class Body>
  void find_sender(std::uint32_t sw, const Body& body) const {
    for (const Channel& channel : fabric_.channels_from(SwitchId(sw)))
      if (routes_.lfts.port(channel.to, lid_) == channel.to_port && body(channel.to.value()))
        return;
  }
  /// Whether packets at a switch arrive.
  bool arrives(std::uint32_t sw) const;
  /// Whether packets at a switch end at an entry without a route.
  bool ends_without_route(std::uint32_t sw) const;
  /// Lanes of the packets that pass a switch or start there. Packets must not loop.
  Lanes lanes(std::uint32_t sw);
  /// If packets that pass this switch use all lanes, so do those behind it: faster than a search
  /// for the senders of each.
  void spread_lanes(std::uint32_t sw);
  /// Lanes of those that start there.
  Lanes own_lanes(std::uint32_t sw) const;
  /// Switches from which packets arrive, the LID's own not included.
  std::uint32_t count_arriving() const;

 private:
  /// The switch from which packets at this one go to no other; nothing if they loop.
  std::optional<SwitchId> end_of(std::uint32_t sw) const;
  /// Once all lanes are used, further senders add none.
  Lanes most() const { return {of_switch_ ? std::uint16_t{0} : used_, used_}; }

  const Fabric& fabric_;
  const Routes& routes_;
  const PathSls& sls_;
  const std::uint16_t used_;  // lanes of all SLs of the routes
  Lid lid_{};
  EndportId owner_ = kNoEndport;
  SwitchId at_ = kNoSwitch;
  PortNum out_{};  // of the owner, at its switch
  bool of_switch_ = false;
  std::vector<std::uint32_t> known_;  // by switch: lanes_ is valid if this is the round
  std::uint32_t round_ = 0;
  std::vector<Lanes> lanes_;
};

/// The lanes on which packets hold one channel and wait for another, as far as they are among those
/// asked for. `flow` is one of these routes. LIDs for which skips(lid) is true are left out.
LidFlow::Lanes lanes_of_wait(
    const Fabric& fabric, const Routes& routes, LidFlow& flow, ChannelId held, ChannelId wanted,
    LidFlow::Lanes asked, const std::function<bool(Lid)>& skips = [](Lid) { return false; });

}  // namespace weft
