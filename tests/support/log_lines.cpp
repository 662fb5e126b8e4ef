// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/log_lines.h"

#include <spdlog/sinks/sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace weft {
namespace {

class LineSink final : public spdlog::sinks::sink {
 public:
  explicit LineSink(std::vector<std::string>& lines) : lines_(lines) {}
  void log(const spdlog::details::log_msg& msg) override {
    lines_.emplace_back(msg.payload.begin(), msg.payload.end());
  }
  void flush() override {}
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

 private:
  std::vector<std::string>& lines_;
};

}  // namespace

LogLines::LogLines() : before_(spdlog::default_logger()) {
  auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<LineSink>(lines_));
  logger->set_level(spdlog::level::debug);
  spdlog::set_default_logger(logger);
}

LogLines::~LogLines() { spdlog::set_default_logger(before_); }

std::size_t LogLines::count(const std::string& text) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      lines_, [&](const std::string& line) { return line.find(text) != std::string::npos; }));
}

}  // namespace weft
