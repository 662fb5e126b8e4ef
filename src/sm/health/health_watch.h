// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Passes what the manager observes to the book of unhealthy ports (port_health.h), and what the
// book decides to the log, to the events and to the manager.
#pragma once

#include <vector>

#include "sm/context.h"

namespace weft {

/// A discovery found `now`; `before` is the previous observation, null before the first.
void observe_health(SmContext& sm, const Observed* before, const Observed& now);
/// A sweep ended: one with a discovery, or a light sweep without a change.
void end_health_sweep(SmContext& sm, PortHealth::Sweep kind);
/// The node of an endport of the active fabric sent a trap.
void note_trap_for_health(SmContext& sm, EndportId sender);

/// A port of a switch to be disabled or enabled.
struct PortSwitching {
  CableEnd end;
  bool enable = false;
};
/// Logs and reports changes of the book, and requests a sweep where links are to be left out or
/// used again. Changes wait until this manager is master. Cheap if there is none.
std::vector<PortSwitching> react_to_health(SmContext& sm);

}  // namespace weft
