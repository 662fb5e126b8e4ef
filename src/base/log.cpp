#include "base/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

namespace weft {
namespace {

constexpr const char* kFilePattern = "%b %d %H:%M:%S %f [%t] %L -> %v";

}  // namespace

void log_to_stderr(spdlog::level::level_enum level) {
  auto logger =
      std::make_shared<spdlog::logger>("weft", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("weft: %l: %v");
  logger->set_level(level);
  spdlog::set_default_logger(std::move(logger));
}

void log_to_stdout(spdlog::level::level_enum level) {
  auto logger =
      std::make_shared<spdlog::logger>("weft", std::make_shared<spdlog::sinks::stdout_sink_mt>());
  logger->set_pattern(kFilePattern);
  logger->set_level(level);
  spdlog::set_default_logger(std::move(logger));
}

Status log_to_file(const LogFile& file, spdlog::level::level_enum level) {
  try {
    std::shared_ptr<spdlog::sinks::sink> sink =
        std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.path, file.truncate);
    // Rotation that keeps no older file.
    if (file.bytes_max > 0)
      sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file.path, file.bytes_max, 0);
    auto logger = std::make_shared<spdlog::logger>("weft", std::move(sink));
    logger->set_pattern(kFilePattern);
    logger->set_level(level);
    logger->flush_on(spdlog::level::debug);
    spdlog::set_default_logger(std::move(logger));
  } catch (const spdlog::spdlog_ex& error) {
    return fail(Code::kEnvironment, "{}: cannot open the log: {}", file.path, error.what());
  }
  return {};
}

}  // namespace weft
