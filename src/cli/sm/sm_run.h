// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs a subnet manager until its first sweep is complete, or until a signal or a fatal error stops
// the manager.
#pragma once

#include <functional>
#include <string>

#include "sm/subnet_manager.h"

namespace weft::cli {

/// Installs signal handlers that set flags for run_once() and run_resident(). SIGINT and SIGTERM
/// stop the manager. In run_resident(), SIGHUP calls on_hangup and requests a full discovery, and
/// SIGUSR1 calls reopen_log; run_once() executes neither. SIGPIPE and SIGXFSZ are ignored.
void catch_signals();
bool stop_requested();

struct RunHooks {
  std::function<void(const SubnetManager&)> swept;  // after each increase of heavy_sweeps()
  std::function<void(SubnetManager&)> on_hangup;    // on SIGHUP, before the full discovery
  std::function<void()> reopen_log;                 // on SIGUSR1
  /// After every step; in run_resident() also once after the manager has stopped.
  std::function<void(SubnetManager&)> stepped;
  /// In run_resident(), after the signal or fatal error, before the handover.
  std::function<void()> stopping;
  std::function<void()> pace;  // after every step: keeps an emulation at real-time speed
};

/// Steps until the first sweep is complete, or until a signal or a fatal error stops the manager,
/// without a handover.
void run_once(SubnetManager& sm, const RunHooks& hooks);

/// Steps until a signal or a fatal error stops the manager. After a signal, a master hands over
/// before it stops; the handover takes at most 10 s, and a second signal ends it at once. After a
/// fatal error the manager stops without a handover.
void run_resident(SubnetManager& sm, const RunHooks& hooks);

}  // namespace weft::cli
