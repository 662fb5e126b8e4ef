// Logging through spdlog: one logger, named "weft", on standard error until a program says
// otherwise. Lines are written by log::info and its like, which know the source file that they
// stand in: it is the module whose level decides (opensm.conf: per_module_logging_file).
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

using ModuleLevels = std::map<std::string, spdlog::level::level_enum, std::less<>>;

/// Levels of modules, by the names of their files without folder; all others have the logger's own.
/// To be said after the log was opened.
void set_module_levels(ModuleLevels levels);

namespace log {

/// A format that is checked at compile time, and the file that it stands in.
template <class... Args>
struct Format {
  template <class Text>
  requires std::convertible_to<const Text&, fmt::string_view> FMT_CONSTEVAL
  Format(const Text& text, const char* path = __builtin_FILE())
      : format(text), file(path) {}
  fmt::format_string<Args...> format;
  std::string_view file;
};

bool is_wanted(spdlog::level::level_enum level, std::string_view file);
void write(spdlog::level::level_enum level, fmt::string_view format, fmt::format_args args);

template <class... Args>
using FormatOf = Format<std::type_identity_t<Args>...>;

template <class... Args>
void at(spdlog::level::level_enum level, const FormatOf<Args...>& format, Args&&... args) {
  if (is_wanted(level, format.file)) write(level, format.format, fmt::make_format_args(args...));
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
