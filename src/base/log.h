// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Logging through spdlog: one logger, named "weft", on standard error unless the program selects
// another sink. log::info and the functions for other levels record the source file of the call,
// which is the module that determines the level (opensm.conf: per_module_logging_file).
#pragma once

#include <spdlog/spdlog.h>

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace weft {

/// Logs to standard error at the given level: for command-line tools.
void log_to_stderr(spdlog::level::level_enum level);

/// Logs to standard output at the given level, with timestamps.
void log_to_stdout(spdlog::level::level_enum level);

struct LogFile {
  std::string path;
  bool truncate = false;        // truncate the file instead of appending to it
  std::uint64_t bytes_max = 0;  // at this size the file is truncated; 0: no limit
};

/// Logs to a file, unbuffered. Fails with kEnvironment, naming the file.
Status log_to_file(const LogFile& file, spdlog::level::level_enum level);

using ModuleLevels = std::map<std::string, spdlog::level::level_enum, std::less<>>;

/// Sets the levels of modules by file name without folder; all other modules use the logger's own
/// level. An empty map changes nothing. Call this function after the log is opened, because opening
/// a log drops the levels of modules.
void set_module_levels(ModuleLevels levels);

namespace log {

/// A format string checked at compile time, and the source file of the call.
template <class... Args>
struct Format {
  template <class Text>
  requires std::convertible_to<const Text&, fmt::string_view> FMT_CONSTEVAL
  Format(const Text& text, const char* path = __builtin_FILE())
      : format(text), file(path) {}
  fmt::format_string<Args...> format;
  std::string_view file;
};

bool is_enabled(spdlog::level::level_enum level, std::string_view file);
void write(spdlog::level::level_enum level, fmt::string_view format, fmt::format_args args);

template <class... Args>
using FormatOf = Format<std::type_identity_t<Args>...>;

template <class... Args>
void at(spdlog::level::level_enum level, const FormatOf<Args...>& format, Args&&... args) {
  if (is_enabled(level, format.file)) write(level, format.format, fmt::make_format_args(args...));
}

template <class... Args>
void debug(FormatOf<Args...> format, Args&&... args) {
  at<Args...>(spdlog::level::debug, format, std::forward<Args>(args)...);
}
template <class... Args>
void info(FormatOf<Args...> format, Args&&... args) {
  at<Args...>(spdlog::level::info, format, std::forward<Args>(args)...);
}
template <class... Args>
void warn(FormatOf<Args...> format, Args&&... args) {
  at<Args...>(spdlog::level::warn, format, std::forward<Args>(args)...);
}
template <class... Args>
void error(FormatOf<Args...> format, Args&&... args) {
  at<Args...>(spdlog::level::err, format, std::forward<Args>(args)...);
}

}  // namespace log
}  // namespace weft
