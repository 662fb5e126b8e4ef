// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs a subnet manager until its first sweep is complete, or until a signal or a fatal error stops
// the manager.
#pragma once

#include <functional>
#include <string>

#include "sm/subnet_manager.h"

namespace weft::cli {

/// Installs signal handlers that set flags for the main loop. SIGINT and SIGTERM stop the manager,
/// a master after its handover, at most 10 s later; a second signal stops it at once. SIGHUP
/// reloads and sweeps, SIGUSR1 reopens the log; run_once() executes neither. SIGPIPE and SIGXFSZ
/// are ignored.
void catch_signals();
bool stop_requested();

struct RunHooks {
  std::function<void(const SubnetManager&)> swept;  // after each increase of heavy_sweeps()
  std::function<void(SubnetManager&)> on_hangup;    // on SIGHUP
  std::function<void()> reopen_log;                 // on SIGUSR1
  std::function<void(SubnetManager&)> stepped;      // after every step
  std::function<void()> stopping;                   // before the manager stops
  std::function<void()> pace;  // after every step: keeps an emulation at real-time speed
};

/// Steps until the first sweep is complete, or until a signal or a fatal error stops the manager.
void run_once(SubnetManager& sm, const RunHooks& hooks);

/// Steps until a signal or a fatal error stops the manager. After a signal, a master hands over
/// before it stops; after a fatal error it stops without a handover.
void run_resident(SubnetManager& sm, const RunHooks& hooks);

}  // namespace weft::cli
