// The log as the settings ask for it: opensm's flags, a limit of size, syslog beside it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "service/settings.h"

namespace weft {

struct LogPlace {
  unsigned flags = 0x03;        // opensm's bits
  bool default_file = true;     // may log_file's default be written? Where not: standard error
  bool asked_for = false;       // somebody named the file, even if it is the default one
  bool from_the_start = false;  // rather than behind what the file holds
};

/// Opens the log and makes it the one that all write to. A file that reaches log_max_size begins
/// anew; flag 0x80 sends everything from information up to syslog too, behind log_prefix. Fails
/// with kEnvironment where the file that was asked for cannot be opened; the default file may be
/// out of reach: then standard error serves.
///
/// Modules that per_module_logging_file names have levels of their own; fails with kBadInput naming
/// file and line where it is wrong.
Status open_log(const Settings& settings, const LogPlace& place);

/// What per_module_logging_file says, which may be missing where it is the default; modules that
/// there are not are warned about.
Result<ModuleLevels> module_levels(const Settings& settings, std::vector<std::string>& warnings);

/// The source files that log, sorted.
std::span<const std::string_view> log_modules();

}  // namespace weft
