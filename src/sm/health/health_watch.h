// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Passes the manager's observations to the record of unhealthy ports (port_health.h), and the
// changes of the record to the log, the events and the manager.
#pragma once

#include <vector>

#include "sm/context.h"

namespace weft {

/// To be called after a discovery that found `now`; `before` is the previous observation, null
/// before the first.
void observe_health(SmContext& sm, const Observed* before, const Observed& now);
/// To be called at the end of a sweep with a discovery, or of a light sweep without a change.
void end_health_sweep(SmContext& sm, PortHealth::Sweep kind);
/// Passes the conditions that switches reported at their ports to the record.
void take_reasons(SmContext& sm, ReasonReading& reading);
/// To be called when a switch sent a trap about its ports: the light sweep at `at` (0: at once)
/// reads their conditions.
void request_reasons(SmContext& sm, Lid sw, TimeNs at);
/// To be called when the node of an endport of the active fabric sent a trap.
void note_trap_for_health(SmContext& sm, EndportId sender);

/// A switch port to be disabled or enabled.
struct PortSwitching {
  CableEnd end;
  bool enable = false;
};
/// Logs and reports the changes of the record, and requests a sweep if links must be left out or
/// used again. Returns the switch ports to disable or enable. Changes are kept until this manager
/// is master.
std::vector<PortSwitching> react_to_health(SmContext& sm);

}  // namespace weft
