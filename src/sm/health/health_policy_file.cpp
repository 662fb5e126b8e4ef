// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/health/health_policy_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace weft {
namespace {

/// The mark of a line; none for a line without content.
Result<std::optional<HealthMark>> mark_of_line(const LineReader& at, std::string_view line) {
  std::string text(line.substr(0, line.find('#')));
  std::ranges::replace(text, ',', ' ');
  std::ranges::replace(text, '\r', ' ');
  const auto words = split_words(text);
  if (words.empty()) return std::optional<HealthMark>();
  const auto wrong = [&](std::string_view found, std::string_view expected) {
    return fail(Code::kBadInput, "{}:{}: found {}, expected {}", at.path(), at.line_number(),
                weft::quoted(found), expected);
  };
  if (words[0] == "all") {
    if (words.size() != 2 || words[1] != "healthy") return wrong(trim(text), "all healthy");
    return HealthMark{std::nullopt, true};
  }
  if (words.size() != 3)
    return wrong(trim(text), "the GUID of a node, a port, and healthy or unhealthy");
  const auto guid = parse_number<std::uint64_t>(words[0], 16);
  if (!guid || *guid == 0) return wrong(words[0], "the GUID of a node in hex");
  const auto port = parse_number<std::uint8_t>(words[1]);
  if (!port || *port == 0 || *port == 255) return wrong(words[1], "a port from 1 to 254");
  if (words[2] != "healthy" && words[2] != "unhealthy")
    return wrong(words[2], "healthy or unhealthy");
  return HealthMark{CableEnd{Guid(*guid), PortNum(*port)}, words[2] == "healthy"};
}

Result<std::vector<HealthMark>> read_marks(LineReader reader) {
  std::vector<HealthMark> marks;
  std::string_view line;
  while (true) {
    const auto more = reader.next(line);
    if (!more) return forward(more);
    if (!*more) return marks;
    const auto mark = mark_of_line(reader, line);
    if (!mark) return forward(mark);
    if (*mark) marks.push_back(**mark);
  }
}

}  // namespace

Result<std::vector<HealthMark>> read_health_policy(const std::string& path) {
  auto reader = LineReader::open(path);
  if (!reader) return forward(reader);
  return read_marks(std::move(*reader));
}

Result<std::vector<HealthMark>> parse_health_policy(std::string text, const std::string& path) {
  return read_marks(LineReader::over(std::move(text), path));
}

}  // namespace weft
