// Running in the background.
#pragma once

#include <string>

#include "base/result.h"

namespace weft {

/// Goes on as a process of its own without a terminal, and ends the one that was called with status
/// 0; its number is written to `pid_file` unless that is empty. To be called before there are
/// threads, and after everything that an administrator can get wrong. Fails with kEnvironment, in
/// the process that was called.
Status go_into_background(const std::string& pid_file);

}  // namespace weft
