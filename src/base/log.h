// Logging through spdlog: one logger, named "weft", on standard error until a program says
// otherwise.
#pragma once

#include <spdlog/spdlog.h>

#include <string>

#include "base/result.h"

namespace weft {

/// Log to standard error at the given level: what command-line tools do.
void log_to_stderr(spdlog::level::level_enum level);

/// The same on standard output, with time stamps.
void log_to_stdout(spdlog::level::level_enum level);

/// Log to a file (appended unless `truncate`), each line written at once. Fails with kEnvironment
/// naming the file.
Status log_to_file(const std::string& path, spdlog::level::level_enum level, bool truncate);

}  // namespace weft
