// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Log lines of the code under test.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace spdlog {
class logger;
}

namespace weft {

/// Captures log lines during its lifetime.
class LogLines {
 public:
  LogLines();
  ~LogLines();
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  /// Number of lines that contain the text.
  std::size_t count(const std::string& text) const;

 private:
  std::vector<std::string> lines_;
  std::shared_ptr<spdlog::logger> before_;
};

}  // namespace weft
