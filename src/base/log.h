// Logging through spdlog: one logger, named "weft", on standard error until a program says
// otherwise.
#pragma once

#include <spdlog/spdlog.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace weft {

/// Log to standard error at the given level: what command-line tools do.
void log_to_stderr(spdlog::level::level_enum level);

/// The same on standard output, with time stamps.
void log_to_stdout(spdlog::level::level_enum level);

struct LogFile {
  std::string path;
  bool truncate = false;        // rather than append
  std::uint64_t bytes_max = 0;  // with these the file begins anew; 0: it grows for ever
};

/// Log to a file, each line written at once. Fails with kEnvironment naming the file.
Status log_to_file(const LogFile& file, spdlog::level::level_enum level);

}  // namespace weft
