// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Runs the process as a daemon.
#pragma once

#include <string>

#include "base/result.h"

namespace weft {

/// Forks: the child continues without a controlling terminal and with /dev/null as its standard
/// streams, and the parent exits with status 0. Writes the child's process id to `pid_file` unless
/// the path is empty. Call before starting threads and after all checks of the configuration. Fails
/// with kEnvironment, in the parent or in the child.
Status daemonize(const std::string& pid_file);

}  // namespace weft
