// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// State shared by the parts of a subnet manager: Mastership, Traps, Sweep, and SubnetManager. The
// context outlives these objects.
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "ib/sm_info.h"
#include "ib/transport.h"
#include "sm/discovery/smp_client.h"
#include "sm/keys/key_store.h"
#include "sm/keys/known_keys.h"
#include "sm/occurrence.h"
#include "sm/options.h"
#include "sm/schedule.h"
#include "sm/subnet_memory.h"
#include "sm/sweep_report.h"
#include "sm/updates.h"

namespace weft {

struct SmContext {
  /// Reads the M_Keys of earlier runs. `transport` and `clock` must outlive this object.
  SmContext(SmpTransport& transport, const Clock& clock, SmOptions options);
  SmContext(const SmContext&) = delete;
  SmContext& operator=(const SmContext&) = delete;

  const Clock& clock;
  SmOptions options;
  KnownKeys keys;
  KeyStore key_store;
  SmpClient client;

  SmState state = SmState::kDiscovering;  // state in the SMInfo state machine
  bool stopped = false;                   // the manager sends no more SMPs
  /// A handover was requested: SMInfo has priority 0 until the manager is master again or its
  /// priority is set.
  bool handover_requested = false;
  /// Returns whether a standby of higher rank may become master now. If this function is empty, any
  /// standby may become master.
  std::function<bool(Guid)> may_succeed;
  Schedule schedule;
  Updates updates;
  SubnetMemory memory;

  /// Report of the sweep or update in progress, otherwise of the last sweep or update.
  SweepReport report;
  /// Result of the last completed sweep or update; a new sweep does not reset it, the loss of the
  /// mastership does.
  SweepResult result;
  Occurrences occurrences;

  TimeNs now() const { return clock.now(); }
  /// Passes the M_Key options to `keys`.
  void configure_keys();
  void warn(const std::string& text) { weft::warn(report, text); }
  /// Requests a heavy sweep. Has no effect for a stopped, standby or NOTACTIVE manager, or if a
  /// heavy sweep is already requested.
  void request_heavy_sweep(std::string why);
};

}  // namespace weft
