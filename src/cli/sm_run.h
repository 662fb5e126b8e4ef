// Runs a subnet manager to its end: once, or until a signal says stop.
#pragma once

#include <functional>
#include <string>

#include "sm/subnet_manager.h"

namespace weft::cli {

/// What a signal asks for, read by the loop. SIGINT and SIGTERM stop, a master after it has handed
/// over, and a second one at once; SIGHUP sweeps, SIGUSR1 reopens the log.
void catch_signals();
bool stop_asked();

struct RunHooks {
  std::function<void(const SubnetManager&)> swept;  // after every heavy sweep
  std::function<void(SubnetManager&)> hung_up;      // on SIGHUP
  std::function<void()> reopen_log;                 // on SIGUSR1
  std::function<void(SubnetManager&)> stepped;      // after every step
  std::function<void()> stopping;                   // before the manager leaves
  std::function<void()> pace;  // after every step, to keep an emulation at the speed of time
};

/// Steps until the first sweep is over.
void run_once(SubnetManager& sm, const RunHooks& hooks);

/// Steps until a signal stops it.
void run_resident(SubnetManager& sm, const RunHooks& hooks);

}  // namespace weft::cli
