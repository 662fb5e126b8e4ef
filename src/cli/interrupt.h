// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Ends a long computation early, keeping partial results, on SIGINT or SIGTERM.
#pragma once

#include <atomic>

namespace weft::cli {

/// Installs handlers: the first signal sets the returned flag, the second ends the process.
const std::atomic<bool>& catch_interrupts();

}  // namespace weft::cli
