// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/log.h"

#include <spdlog/sinks/syslog_sink.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "log_modules.h"

namespace weft {
namespace {

constexpr unsigned kError = 0x01;
constexpr unsigned kInfo = 0x02;
constexpr unsigned kVerbose = 0x04;
constexpr unsigned kDebug = 0x38;  // debugging, functions, packets
constexpr unsigned kSyslog = 0x80;
constexpr unsigned kFlagsMax = 0xFF;
constexpr std::uint64_t kMegabyte = 1 << 20;

spdlog::level::level_enum level_of(unsigned flags) {
  if ((flags & kDebug) != 0) return spdlog::level::trace;
  if ((flags & kVerbose) != 0) return spdlog::level::debug;
  if ((flags & kInfo) != 0) return spdlog::level::info;
  return (flags & kError) != 0 ? spdlog::level::err : spdlog::level::off;
}

void add_syslog(const Settings& settings) {
  const std::string ident = settings.log_prefix.empty() ? "weft" : settings.log_prefix;
  auto sink = std::make_shared<spdlog::sinks::syslog_sink_mt>(ident, LOG_PID, LOG_DAEMON, false);
  sink->set_level(spdlog::level::info);
  sink->set_pattern("%v");
  spdlog::default_logger()->sinks().push_back(std::move(sink));
}

Status open_main(const Settings& settings, const LogDestination& place) {
  const auto level = level_of(place.flags);
  const LogFile file{settings.log_file, place.truncates_file, settings.log_max_size * kMegabyte};
  if (settings.log_file == "stdout") {
    log_to_stdout(level);
    return {};
  }
  if (place.is_explicit || settings.log_file != default_settings().log_file)
    return log_to_file(file, level);
  if (!place.default_file || !log_to_file(file, level)) log_to_stderr(spdlog::level::warn);
  return {};
}

/// Adds the level in a line "MODULE=FLAGS"; blanks or tabs may replace "=". Fails with kBadInput.
Status take_module(const LineReader& at, std::string_view line, ModuleLevels& levels,
                   std::vector<std::string>& warnings) {
  std::string text(line.substr(0, line.find('#')));
  std::ranges::replace(text, '=', ' ');
  const auto words = split_words(trim(text));
  if (words.empty()) return {};
  const auto flags =
      words.size() == 2 ? parse_c_number<unsigned>(words[1]) : std::optional<unsigned>();
  if (!flags || *flags > kFlagsMax)
    return fail(Code::kBadInput, "{}:{}: found {}, expected a module and log flags from 0 to 0xFF",
                at.path(), at.line_number(), weft::quoted(trim(text)));
  if (std::ranges::find(kLogModules, words[0]) == kLogModules.end())
    warnings.push_back(
        fmt::format("{}:{}: found module {}, expected a source file that logs, such as sweep.cpp",
                    at.path(), at.line_number(), weft::quoted(words[0])));
  levels[std::string(words[0])] = level_of(*flags);
  return {};
}

}  // namespace

Result<ModuleLevels> module_levels(const Settings& settings, std::vector<std::string>& warnings) {
  ModuleLevels levels;
  const std::string& path = settings.per_module_logging_file;
  std::error_code ignored;
  const bool may_be_missing = path == default_settings().per_module_logging_file;
  if (path.empty() || (may_be_missing && !std::filesystem::exists(path, ignored))) return levels;
  const auto status = for_each_line(path, [&](const LineReader& at, std::string_view line) {
    return take_module(at, line, levels, warnings);
  });
  if (!status) return forward(status);
  return levels;
}

std::span<const std::string_view> log_modules() { return kLogModules; }

Status open_log(const Settings& settings, const LogDestination& place) {
  std::vector<std::string> warnings;
  auto levels = module_levels(settings, warnings);
  if (!levels) return forward(levels);
  if (auto status = open_main(settings, place); !status) return status;
  set_module_levels(std::move(*levels));
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if ((place.flags & kSyslog) != 0) add_syslog(settings);
  return {};
}

}  // namespace weft
