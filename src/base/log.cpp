// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/printable.h"

namespace weft {
namespace {

constexpr const char* kFilePattern = "%b %d %H:%M:%S %f [%t] %L -> %v";

struct Levels {
  spdlog::level::level_enum others;
  ModuleLevels modules;
};

/// Null: the logger's own level applies to all modules. Atomic, because threads log while another
/// thread replaces it.
std::atomic<std::shared_ptr<const Levels>> levels_by_module;

void use(std::shared_ptr<spdlog::logger> logger) {
  levels_by_module.store(nullptr);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace

void log_to_stderr(spdlog::level::level_enum level) {
  auto logger =
      std::make_shared<spdlog::logger>("weft", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("weft: %l: %v");
  logger->set_level(level);
  use(std::move(logger));
}

void log_to_stdout(spdlog::level::level_enum level) {
  auto logger =
      std::make_shared<spdlog::logger>("weft", std::make_shared<spdlog::sinks::stdout_sink_mt>());
  logger->set_pattern(kFilePattern);
  logger->set_level(level);
  use(std::move(logger));
}

Status log_to_file(const LogFile& file, spdlog::level::level_enum level) {
  try {
    std::shared_ptr<spdlog::sinks::sink> sink =
        std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.path, file.truncate);
    // A rotating sink that keeps no previous file.
    if (file.bytes_max > 0)
      sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file.path, file.bytes_max, 0);
    auto logger = std::make_shared<spdlog::logger>("weft", std::move(sink));
    logger->set_pattern(kFilePattern);
    logger->set_level(level);
    logger->flush_on(spdlog::level::debug);
    use(std::move(logger));
  } catch (const spdlog::spdlog_ex& error) {
    return fail(Code::kEnvironment, "{}: cannot open the log: {}", file.path, error.what());
  }
  return {};
}

void set_module_levels(ModuleLevels levels) {
  if (levels.empty()) return;
  const auto logger = spdlog::default_logger();
  const auto others = logger->level();
  auto lowest = others;
  for (const auto& [module, level] : levels) lowest = std::min(lowest, level);
  levels_by_module.store(std::make_shared<const Levels>(Levels{others, std::move(levels)}));
  logger->set_level(lowest);
}

namespace log {

bool is_enabled(spdlog::level::level_enum level, std::string_view file) {
  if (!spdlog::should_log(level)) return false;
  const auto levels = levels_by_module.load();
  if (!levels) return true;
  const auto found = levels->modules.find(file.substr(file.rfind('/') + 1));
  return level >= (found == levels->modules.end() ? levels->others : found->second);
}

void write(spdlog::level::level_enum level, fmt::string_view format, fmt::format_args args) {
  // Arguments may be names from the fabric: a message is one line without control characters.
  spdlog::default_logger_raw()->log(level, printable(fmt::vformat(format, args)));
}

}  // namespace log
}  // namespace weft
