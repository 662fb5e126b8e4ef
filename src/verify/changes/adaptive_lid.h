// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The packets to one LID at single switches, for adaptive routes with all packets on the VLs of one
// SL: an adversary selects among the choices of each switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/adaptive_choices.h"
#include "verify/adaptive_verifier.h"

namespace weft {

class AdaptiveLid {
 public:
  /// Both arguments must outlive the object.
  AdaptiveLid(const Fabric& fabric, const Routes& routes);

  /// Selects an assigned LID of an endport at a switch; all other functions refer to this LID.
  void select(Lid lid);
  bool is_of_switch() const { return of_switch_; }

  PortMask choices(SwitchId sw) const {
    return choices_of(routes_.lfts, *routes_.adaptive, sw, lid_);
  }
  bool may_send(SwitchId sw, PortNum port) const { return may_leave_by(routes_, sw, lid_, port); }
  /// Whether each choice of a switch leads to a switch or, at the owner's switch, to the owner.
  bool leads_on(SwitchId sw) const;
  /// Whether some packets may loop, from any switch.
  bool may_loop() const;

  /// The switches from which packets arrive by all choices; includes the owner's switch.
  struct Arrivals {
    std::uint32_t switches = 0;  // number of these switches
    bool of_all_cas = true;      // all switches with CAs are included
  };
  Arrivals arrivals() const;

  /// Kinds of dependencies (bit mask) caused by packets that leave a switch for another switch.
  using Kinds = std::uint8_t;
  static constexpr Kinds kOfCas = 1;  // dependencies of packets between CAs
  static constexpr Kinds kOfAll = 2;  // dependencies of all packets
  Kinds kinds(SwitchId sw);
  /// Whether packets of CAs may pass a switch or start at it.
  bool passes_cas(SwitchId sw);

  /// Calls body(switch, port) for each switch and port that may send packets for the LID to this
  /// switch, until body returns true. Returns whether body returned true.
  template <class Body>
  bool find_sender(SwitchId sw, const Body& body) const {
    for (const Channel& channel : fabric_.channels_from(sw))
      if (may_send(channel.to, channel.to_port) && body(channel.to, channel.to_port)) return true;
    return false;
  }

 private:
  bool has_cas(SwitchId sw) const { return !fabric_.endports_at(sw).empty(); }
  /// The switches with choices that all lead to switches earlier in the list, or to an end for
  /// which ends(step) is true.
  template <class Ends>
  std::vector<SwitchId> settled_switches(const Ends& ends) const;

  const Fabric& fabric_;
  const Routes& routes_;
  Lid lid_{};
  EndportId owner_ = kNoEndport;
  bool of_switch_ = false;
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> known_;  // by switch: passes_ is valid if this equals round_
  std::vector<std::uint8_t> passes_;
  std::vector<SwitchId> open_, visited_;
};

}  // namespace weft
