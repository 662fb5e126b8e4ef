// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The packets to one LID at single switches: their next hops, and the VLs on which they arrive. For
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
  /// All arguments must outlive the object.
  LidFlow(const Fabric& fabric, const Routes& routes, const PathSls& sls);

  /// Selects an assigned LID of an endport at a switch; all other functions refer to this LID.
  void select(Lid lid);
  bool is_of_switch() const { return of_switch_; }

  /// VLs (bit masks) of packets between CAs, and of all packets that are traffic.
  struct Lanes {
    std::uint16_t cas = 0;
    std::uint16_t all = 0;
    bool operator==(const Lanes&) const = default;
  };

  /// The next hop; without channel and switch if the port is not cabled to a switch.
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
  /// Calls body(switch) for each switch that sends packets for the LID to switch `sw`.
  template <class Body>
  void for_each_sender(std::uint32_t sw, const Body& body) const {
    find_sender(sw, [&](std::uint32_t sender) {
      body(sender);
      return false;
    });
  }
  /// As for_each_sender(), until body(switch) returns true.
  template <class Body>
  void find_sender(std::uint32_t sw, const Body& body) const {
    for (const Channel& channel : fabric_.channels_from(SwitchId(sw)))
      if (routes_.lfts.port(channel.to, lid_) == channel.to_port && body(channel.to.value()))
        return;
  }
  /// Whether packets at a switch arrive at the owner.
  bool arrives(std::uint32_t sw) const;
  /// Whether the path of packets at a switch ends at an entry without a route.
  bool ends_without_route(std::uint32_t sw) const;
  /// VLs of the packets that pass a switch or start at it. Packets must not loop.
  Lanes lanes(std::uint32_t sw);
  /// If packets that pass this switch use all VLs, records all VLs for the switches on their
  /// further path, which is faster than a search for the senders of each switch.
  void spread_lanes(std::uint32_t sw);
  /// VLs of the packets that start at a switch.
  Lanes own_lanes(std::uint32_t sw) const;
  /// Number of switches from which packets arrive, without the LID's own switch.
  std::uint32_t count_arriving() const;

 private:
  /// The last switch on the path of packets at this switch; none if they loop.
  std::optional<SwitchId> end_of(std::uint32_t sw) const;
  /// All VLs of the routes: no sender can add a VL to them.
  Lanes most() const { return {of_switch_ ? std::uint16_t{0} : used_, used_}; }

  const Fabric& fabric_;
  const Routes& routes_;
  const PathSls& sls_;
  const std::uint16_t used_;  // VLs of all SLs of the routes
  Lid lid_{};
  EndportId owner_ = kNoEndport;
  SwitchId at_ = kNoSwitch;
  PortNum out_{};  // port of the owner, at its switch
  bool of_switch_ = false;
  std::vector<std::uint32_t> known_;  // by switch: lanes_ is valid if this equals round_
  std::uint32_t round_ = 0;
  std::vector<Lanes> lanes_;
};

/// The requested VLs on which packets hold one channel and wait for another. `flow` belongs to
/// these routes. LIDs for which skips(lid) is true are left out.
LidFlow::Lanes lanes_of_wait(
    const Fabric& fabric, const Routes& routes, LidFlow& flow, ChannelId held, ChannelId wanted,
    LidFlow::Lanes requested, const std::function<bool(Lid)>& skips = [](Lid) { return false; });

}  // namespace weft
