// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Running as a daemon.
#pragma once

#include <string>

#include "base/result.h"

namespace weft {

/// Forks: the child continues without a controlling terminal, the parent exits with status 0.
/// Writes the child's process id to `pid_file` unless that is empty. Call before starting threads
/// and after all checks of the configuration. Fails with kEnvironment in the parent.
Status daemonize(const std::string& pid_file);

}  // namespace weft
