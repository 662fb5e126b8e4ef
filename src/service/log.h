// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Opens the log according to the settings: OpenSM's log flags, size limit, syslog.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "service/config/settings.h"

namespace weft {

struct LogDestination {
  unsigned flags = 0x03;        // OpenSM's log flags
  bool default_file = true;     // false: use standard error instead of log_file's default
  bool is_explicit = false;     // the file was named explicitly, even if it is the default
  bool truncates_file = false;  // truncate the file instead of appending
};

/// Opens the log and installs it as the process-wide log. The file is truncated when it reaches
/// log_max_size. Flag 0x80 also sends messages of level info and above to syslog, prefixed with
/// log_prefix. Fails with kEnvironment if an explicitly named file cannot be opened; if the default
/// file cannot be opened, logs to standard error.
///
/// per_module_logging_file overrides the level of single modules; fails with kBadInput naming file
/// and line if it is invalid.
Status open_log(const Settings& settings, const LogDestination& place);

/// Reads per_module_logging_file. A missing file is no error if it is the default; unknown modules
/// cause warnings.
Result<ModuleLevels> module_levels(const Settings& settings, std::vector<std::string>& warnings);

/// The source files that log, sorted.
std::span<const std::string_view> log_modules();

}  // namespace weft
