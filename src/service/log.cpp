#include "service/log.h"

#include <spdlog/sinks/syslog_sink.h>

#include "base/log.h"

namespace weft {
namespace {

constexpr unsigned kError = 0x01;
constexpr unsigned kInfo = 0x02;
constexpr unsigned kVerbose = 0x04;
constexpr unsigned kDebug = 0x38;  // debugging, functions, packets
constexpr unsigned kSyslog = 0x80;
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

Status open_main(const Settings& settings, const LogPlace& place) {
  const auto level = level_of(place.flags);
  const LogFile file{settings.log_file, place.from_the_start, settings.log_max_size * kMegabyte};
  if (settings.log_file == "stdout") {
    log_to_stdout(level);
    return {};
  }
  if (settings.log_file != Settings{}.log_file) return log_to_file(file, level);
  if (!place.default_file || !log_to_file(file, level)) log_to_stderr(spdlog::level::warn);
  return {};
}

}  // namespace

Status open_log(const Settings& settings, const LogPlace& place) {
  if (const auto status = open_main(settings, place); !status) return status;
  if ((place.flags & kSyslog) != 0) add_syslog(settings);
  return {};
}

}  // namespace weft
