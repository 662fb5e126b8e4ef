// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/interrupt.h"

#include <csignal>

namespace weft::cli {
namespace {

std::atomic<bool> interrupt_received{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int signal) {
  interrupt_received.store(true);
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  return interrupt_received;
}

}  // namespace weft::cli
