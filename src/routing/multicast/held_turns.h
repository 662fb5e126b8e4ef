// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The joint channel dependencies of unicast packets and multicast trees, kept free of cycles: on
// one lane, or on all lanes if SL2VL maps differ between ports, so that packets change lanes on
// their path.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "routes/sl2vl.h"
#include "routing/deadlock/acyclic_turns.h"

namespace weft::multicast {

/// The lanes of packets of one SL.
class SlLanes {
 public:
  /// The lanes of `sl`; nullopt if the maps discard packets of the SL or contain a VL that is not
  /// below `lanes`.
  static std::optional<SlLanes> find(const Fabric& fabric, const Sl2Vl& maps, Sl sl,
                                     unsigned lanes);

  unsigned lanes() const { return lanes_; }
  /// One bit for each lane on which packets may hold the channel, for any input port.
  std::uint16_t held(std::uint32_t channel) const { return held_[channel]; }
  /// The lane of the second channel for packets that hold the first.
  unsigned requested(std::uint32_t in, std::uint32_t out) const {
    const Channel& from = fabric_->channel(ChannelId(in));
    return maps_.vl(from.to, from.to_port, fabric_->channel(ChannelId(out)).from_port, sl_).value();
  }

 private:
  SlLanes(const Fabric& fabric, const Sl2Vl& maps, Sl sl, unsigned lanes);

  const Fabric* fabric_;
  Sl2Vl maps_;
  Sl sl_;
  unsigned lanes_;
  std::vector<std::uint16_t> held_;  // by channel
};

class HeldTurns {
 public:
  /// Dependencies on one lane: vertices of `graph` are channels.
  explicit HeldTurns(AcyclicTurns graph) : graph_(std::move(graph)) {}
  /// Dependencies on all lanes: vertices of `graph` are channel * lanes + lane. `lanes` are the
  /// lanes of multicast packets.
  HeldTurns(AcyclicTurns graph, SlLanes lanes)
      : graph_(std::move(graph)), lanes_(std::move(lanes)) {}

  /// Adds the dependency of `out` on `in` for multicast packets. Returns false, without a change,
  /// if the dependency would close a cycle.
  bool add(std::uint32_t in, std::uint32_t out);
  void remove(std::uint32_t in, std::uint32_t out);

 private:
  AcyclicTurns graph_;
  std::optional<SlLanes> lanes_;
};

}  // namespace weft::multicast
