// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Verifies adaptive routes with private forwarding tables (pLFTs). As in adaptive_verifier.h, an
// adversary selects the port at every switch. In addition, the input port and the SL of a packet
// determine the table that it meets at each switch. So packets are followed from channel to
// channel, and a packet loops only if it returns to a switch with the same table.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/choices/choice_walk.h"
#include "verify/dependencies.h"
#include "verify/lid_tally.h"
#include "verify/path_sls.h"
#include "verify/step.h"
#include "verify/verify.h"

namespace weft {

/// One object per task. The routes must have `adaptive` with private tables. All arguments must
/// outlive the object. Cost for each LID: O(channels * VLs * SLs in use).
class PrivateVerifier {
 public:
  PrivateVerifier(const Fabric& fabric, const Routes& routes, const Common& common,
                  const PathSls& sls, Dependencies& dependencies);

  /// Counts the arriving packets and adds the dependencies. The end of the packets of a switch is
  /// the worst end of the packets of its endports.
  void verify(Lid lid, std::size_t failures_max, LidTally& tally);
  /// Only adds the dependencies.
  void trace(Lid lid, LidTally& tally);

 private:
  struct Choice {
    Step step;
  };

  bool load(Lid lid);
  unsigned table_of(SwitchId at, PortNum in, Sl sl) const {
    return adaptive_.selection().table(at, in, sl);
  }
  /// The state of a packet at a switch: the switch with the table that it uses for the packet.
  std::uint32_t state(SwitchId at, unsigned table) const {
    return at.value() * adaptive_.table_count() + table;
  }
  /// Calls body(const Step&) for each possible step of packets at a switch, by output port.
  template <class Body>
  void for_each_step(SwitchId at, unsigned table, const Body& body) const {
    PortMask ports;
    for_each_choice(routes_.lfts, &adaptive_.table(table), at, lid_,
                    [&](PortNum port) { ports.set(port.value()); });
    for_each_port(ports, [&](PortNum port) { body(step(fabric_, at, port, owner_)); });
  }
  /// The steps of packets at a switch, for ChoiceWalk.
  auto each_step() const {
    return [this](SwitchId at, PortNum in, Sl sl, const auto& body) {
      for_each_step(at, table_of(at, in, sl), body);
    };
  }
  void find_ends();
  void find_end(std::uint32_t start, Sl sl);

  const Fabric& fabric_;
  const Routes& routes_;
  const ArTables& adaptive_;
  const Common& common_;
  const PathSls& sls_;
  Dependencies& dependencies_;
  std::array<Sl, kSlCount> first_like_{};  // by SL: the lowest SL with the same tables everywhere
  Lid lid_;
  EndportId owner_ = kNoEndport;
  ChoiceWalk walk_;
  std::vector<LidEnd> ends_;                  // by switch
  std::vector<LidEnd> state_ends_;            // by state()
  std::vector<std::uint8_t> open_;            // by state()
  std::vector<std::vector<Choice>> choices_;  // by state(), of the states that find_end() entered
};

}  // namespace weft
