// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// M_Key protection of the SMAs: acceptance of requests, and the lease, which ends the protection if
// the manager with the key is absent.
// Source: InfiniBand Architecture Specification, volume 1, chapter 14.2.4.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "emulator/event_queue.h"
#include "emulator/model.h"
#include "emulator/traps.h"
#include "ib/smp.h"

namespace weft::emulator {

class MkeyGuard {
 public:
  /// All references must outlive this object.
  MkeyGuard(Model& model, Traps& traps, EventQueue& events, const Clock& clock)
      : model_(model), traps_(traps), events_(events), clock_(clock) {}

  /// True if the SMA with this port accepts the request. A request with the right M_Key ends a
  /// running lease. A refused request counts as a violation, starts the lease, if there is one, and
  /// causes a trap.
  bool admits(const Smp& smp, PortId agent_port);

  /// Handles a kLeaseEnd event.
  void lease_end(PortId agent_port, std::uint32_t generation);

 private:
  bool matches(const Smp& smp, PortId agent_port) const;
  bool allows(const Smp& smp, PortId agent_port);
  void refuse(const Smp& smp, PortId agent_port);
  void stop_lease(PortId agent_port);

  Model& model_;
  Traps& traps_;
  EventQueue& events_;
  const Clock& clock_;
};

}  // namespace weft::emulator
