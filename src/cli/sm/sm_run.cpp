// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/sm_run.h"

#include <csignal>

#include "base/clock.h"

namespace weft::cli {
namespace {

constexpr TimeNs kLeavingMax = std::chrono::seconds(10);

volatile std::sig_atomic_t stop_signal = 0;  // 1 after the first stop signal, then 2
volatile std::sig_atomic_t hangup_signal = 0;
volatile std::sig_atomic_t reopen_signal = 0;

void note(int signal) {
  if (signal == SIGHUP) hangup_signal = 1;
  if (signal == SIGUSR1) reopen_signal = 1;
  if (signal == SIGINT || signal == SIGTERM) stop_signal = stop_signal == 0 ? 1 : 2;
}

void handle_signals(SubnetManager& sm, const RunHooks& hooks) {
  if (reopen_signal != 0) {
    reopen_signal = 0;
    if (hooks.reopen_log) hooks.reopen_log();
  }
  if (hangup_signal != 0) {
    hangup_signal = 0;
    if (hooks.on_hangup) hooks.on_hangup(sm);
    sm.request_full_discovery("SIGHUP");
  }
}

void step(SubnetManager& sm, const RunHooks& hooks) {
  const std::uint64_t before = sm.heavy_sweeps();
  sm.step();
  if (hooks.stepped) hooks.stepped(sm);
  if (sm.heavy_sweeps() != before && hooks.swept) hooks.swept(sm);
  if (hooks.pace) hooks.pace();
}

/// After a signal, hands over mastership to a standby manager, if there is one, within a time
/// limit. Then, or at once after a fatal error, stops the manager.
void hand_over_and_stop(SubnetManager& sm, const RunHooks& hooks) {
  if (hooks.stopping) hooks.stopping();
  const RealClock clock;
  const TimeNs end = clock.now() + kLeavingMax;
  sm.stop_after_handover();
  while (sm.stopping() && stop_signal == 1 && clock.now() < end) step(sm, hooks);
  sm.stop();
  if (hooks.stepped) hooks.stepped(sm);
}

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGHUP, SIGUSR1, SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;  // file size limit, closed pipe: reported as write errors
  sigaction(SIGXFSZ, &action, nullptr);
  sigaction(SIGPIPE, &action, nullptr);
}

bool stop_requested() { return stop_signal != 0; }

void run_once(SubnetManager& sm, const RunHooks& hooks) {
  while (!stop_requested() && !sm.fatal() && sm.heavy_sweeps() == 0) step(sm, hooks);
  if (stop_requested()) sm.stop();
}

void run_resident(SubnetManager& sm, const RunHooks& hooks) {
  while (!stop_requested() && !sm.fatal()) {
    handle_signals(sm, hooks);
    step(sm, hooks);
  }
  hand_over_and_stop(sm, hooks);
}

}  // namespace weft::cli
