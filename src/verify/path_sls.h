// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The SLs of packets between two endports. A connection uses one SL in both directions: the passive
// side uses the SL of the request's path, so packets from B to A take the path from B to A with the
// SL of the path from A to B. Responses of management do the same.
// Source: InfiniBand Architecture Specification, volume 1, chapters 12 (CM) and 13 (management).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

class PathSls {
 public:
  /// One bit per SL.
  using Mask = std::uint16_t;

  /// Computes the SLs of requests, and of replies unless `ignore_replies`.
  PathSls(const Fabric& fabric, const Routes& routes, bool ignore_replies, unsigned threads = 0);
  /// For a fabric in which all traffic uses the SL `only`, whatever path records contain.
  PathSls(const Fabric& fabric, const Routes& routes, Sl only);

  /// SLs of packets from the CA and router ports at a switch to `lid`, which belongs to an endport
  /// at `destination`.
  Mask from_cas(SwitchId source, SwitchId destination, Lid lid) const {
    return from(source, destination, lid, ca_lids_);
  }
  /// SLs of packets from port 0 of the switch.
  Mask from_switch(SwitchId source, SwitchId destination, Lid lid) const {
    return from(source, destination, lid, switch_lids_);
  }
  /// SLs that replies add to the SLs of requests in from_cas() and from_switch(), for all LIDs at
  /// the destination. Not for a fabric in which all traffic uses one SL.
  struct Replies {
    Mask from_cas = 0;
    Mask from_switch = 0;
  };
  Replies replies(SwitchId source, SwitchId destination) const;
  /// SLs of packets from one endport, which is cabled to a switch.
  Mask from_endport(const Endport& source, SwitchId destination, Lid lid) const;

 private:
  /// SLs of paths to the LIDs at a switch: by that switch, or by that switch and the source switch.
  /// Empty if this kind of SL table needs no such masks.
  using Union = std::vector<Mask>;
  /// Consecutive LIDs at one switch.
  struct Run {
    Lid first;
    unsigned count = 0;
    SwitchId sw;
  };

  Mask from(SwitchId source, SwitchId destination, Lid lid, const Union& lids) const;
  Mask request(SwitchId source, SwitchId destination, Lid lid) const {
    return bit(routes_.path_sl.sl(source, destination, lid));
  }
  static Mask bit(Sl sl) { return static_cast<Mask>(1u << sl.value()); }
  static void add(const Endport& endport, std::vector<Run>& runs);
  Union unite(std::span<const Run> runs, unsigned threads) const;
  Mask replies(SwitchId source, SwitchId destination, const Union& lids) const {
    return lids[by_pair_
                    ? std::size_t{source.value()} * fabric_.switch_count() + destination.value()
                    : source.value()];
  }

  const Fabric& fabric_;
  const Routes& routes_;
  bool replies_;
  bool by_pair_ = false;  // whether a Union is by two switches
  Mask only_ = 0;         // set if all traffic uses one SL
  Union ca_lids_, switch_lids_;
};

/// The VLs (bit mask) that the common SL2VL map assigns to SLs, without VL 15.
std::uint16_t lanes_of(const Routes& routes, PathSls::Mask sls);

}  // namespace weft
