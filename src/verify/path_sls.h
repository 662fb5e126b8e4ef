// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The SLs of packets between two endports. A connection uses one SL in both directions: the passive
// side takes the SL of the request's path, so that packets from B to A take the path from B to A on
// the SL of the path from A to B; management responses do the same.
// Source: InfiniBand Architecture Specification, volume 1, chapters 12 (CM) and 13 (management).
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

class PathSls {
 public:
  /// One bit per SL.
  using Mask = std::uint16_t;

  /// Requests, and replies unless `ignore_replies`.
  PathSls(const Fabric& fabric, const Routes& routes, bool ignore_replies);
  /// All traffic on one SL, whatever path records contain.
  PathSls(const Fabric& fabric, const Routes& routes, Sl only);

  /// SLs of packets from the CA ports at a switch to `lid`, which is assigned at `destination`.
  Mask from_cas(SwitchId source, SwitchId destination, Lid lid) const {
    return from(source, destination, lid, ca_lids_);
  }
  /// The same from port 0 of the switch.
  Mask from_switch(SwitchId source, SwitchId destination, Lid lid) const {
    return from(source, destination, lid, switch_lids_);
  }
  /// The same from one endport, which is cabled to a switch.
  Mask from_endport(const Endport& source, SwitchId destination, Lid lid) const;

 private:
  /// SLs of paths to the LIDs at a switch: by that switch, or by source switch and that switch.
  /// Empty if the kind of SL table does not need it.
  using Union = std::vector<Mask>;

  Mask from(SwitchId source, SwitchId destination, Lid lid, const Union& lids) const;
  Mask request(SwitchId source, SwitchId destination, Lid lid) const {
    return bit(routes_.path_sl.sl(source, destination, lid));
  }
  static Mask bit(Sl sl) { return static_cast<Mask>(1u << sl.value()); }
  void add(const Endport& endport, Union& lids) const;

  const Fabric& fabric_;
  const Routes& routes_;
  bool replies_;
  Mask only_ = 0;  // set if all traffic uses one SL
  Union ca_lids_, switch_lids_;
};

}  // namespace weft
