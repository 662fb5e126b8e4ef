// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/files/state_lines.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"

namespace weft {

Status read_state_lines(const std::string& path, std::size_t warnings_max,
                        std::vector<std::string>& warnings,
                        const std::function<std::string(std::string_view)>& take) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  auto reader = LineReader::open(path);
  if (!reader) return forward(reader);
  std::size_t dropped = 0;
  std::string_view text;
  while (true) {
    const auto more = reader->next(text);
    if (!more) warnings.push_back(more.error().message + ": the rest is dropped");
    if (!more || !*more) break;
    if (trim(text).empty()) continue;
    const std::string why = take(text);
    if (!why.empty() && ++dropped <= warnings_max)
      warnings.push_back(
          fmt::format("{}:{}: {}: the line is dropped", path, reader->line_number(), why));
  }
  if (dropped > warnings_max)
    warnings.push_back(fmt::format("{}: {} more lines are dropped", path, dropped - warnings_max));
  return {};
}

}  // namespace weft
