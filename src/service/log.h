// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Opens the log as configured, with OpenSM's log flags, size limit and syslog.
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
  bool default_file = true;     // false: standard error replaces the default of log_file
  bool is_explicit = false;     // log_file was given, even if with its default value
  bool truncates_file = false;  // truncate the file instead of appending
};

/// Opens the log and installs it as the process-wide log. The file is truncated when it reaches
/// log_max_size. Flag 0x80 also sends the logged messages of level info and above to syslog, with
/// log_prefix (empty: "weft") as the identifier. Fails with kEnvironment if an explicitly named
/// file cannot be opened; if the default file cannot be opened, logs warnings and errors to
/// standard error.
///
/// per_module_logging_file overrides the level of single modules. Fails with kBadInput if this file
/// is invalid; the message contains file and line.
Status open_log(const Settings& settings, const LogDestination& place);

/// The levels in per_module_logging_file. A missing file is no error if the path is the default;
/// unknown modules cause warnings.
Result<ModuleLevels> module_levels(const Settings& settings, std::vector<std::string>& warnings);

/// The names of all modules, sorted. A module is a source file that logs.
std::span<const std::string_view> log_modules();

}  // namespace weft
