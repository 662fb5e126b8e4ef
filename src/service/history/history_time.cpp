// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parses times in arguments and requests.
#include <ctime>

#include "base/text.h"
#include "service/history/history.h"

namespace weft {
namespace {

constexpr std::int64_t kSecondsMax = INT64_MAX / kSecondNs;

/// Parses a duration such as "2h"; returns seconds.
std::optional<std::int64_t> span_of(std::string_view text) {
  constexpr std::pair<char, std::int64_t> kUnits[] = {
      {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}, {'w', 7 * 86'400}};
  if (text.size() < 2) return std::nullopt;
  const auto number = parse_number<std::uint32_t>(text.substr(0, text.size() - 1));
  for (const auto& [unit, seconds] : kUnits)
    if (number && text.back() == unit) return *number * seconds;
  return std::nullopt;
}

std::optional<std::int64_t> date_of(std::string_view text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  const std::string words(text);
  for (const char* form :
       {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    std::tm time{};
    const char* end = ::strptime(words.c_str(), form, &time);
    if (end == nullptr || *end != '\0') continue;
    const int month = time.tm_mon, day = time.tm_mday;
    const std::time_t seconds = ::timegm(&time);
    if (time.tm_mon != month || time.tm_mday != day) return std::nullopt;  // such as 30 February
    return seconds;
  }
  return std::nullopt;
}

}  // namespace

Result<std::int64_t> parse_when(std::string_view text, std::int64_t now_ns) {
  if (const auto seconds = parse_number<std::int64_t>(text);
      seconds && *seconds >= 0 && *seconds <= kSecondsMax)
    return *seconds * kSecondNs;
  if (const auto span = span_of(text); span && *span <= now_ns / kSecondNs)
    return now_ns - *span * kSecondNs;
  if (const auto date = date_of(text); date && *date >= 0 && *date <= kSecondsMax)
    return *date * kSecondNs;
  return fail(
      Code::kUsage,
      "found {}, expected 30m, 2h or 7d (ago), 2026-11-21, 2026-11-21T14:30 (UTC), or seconds "
      "since 1970",
      weft::quoted(text));
}

}  // namespace weft
