// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A flag that SIGINT and SIGTERM set, so that a long computation ends early and keeps its partial
// results.
#pragma once

#include <atomic>

namespace weft::cli {

/// Installs handlers: a signal sets the returned flag; if the same signal is received again, it
/// ends the process.
const std::atomic<bool>& catch_interrupts();

}  // namespace weft::cli
