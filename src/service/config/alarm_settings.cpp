// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/config/alarm_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/text.h"

namespace weft {
namespace {

constexpr unsigned kAlarmReadingsMax = 1000;
constexpr std::size_t kAlarmUrlMax = 2048;
constexpr std::array kSeverities{Severity::kInfo, Severity::kWarning, Severity::kCritical};

std::optional<double> limit_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
      value < 0)
    return std::nullopt;
  return value;
}

std::optional<Severity> severity_of(std::string_view text) {
  for (const Severity severity : kSeverities)
    if (name(severity) == text) return severity;
  return std::nullopt;
}

}  // namespace

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    default:
      return "critical";
  }
}

Result<AlarmLimits> parse_alarm_limits(std::string_view text) {
  if (trim(text) == "off") return AlarmLimits{};
  const auto words = split_words(text);
  const auto failure = [&] {
    return fail(Code::kBadInput,
                "found {}, expected off, or RAISE CLEAR READINGS SEVERITY such as 10 1 2 warning: "
                "a positive number, a number from 0 to the first, 1 to {} "
                "readings, and info, warning or critical",
                weft::quoted(text), kAlarmReadingsMax);
  };
  if (words.size() != 4) return failure();
  const auto raise = limit_of(words[0]), clear = limit_of(words[1]);
  const auto readings = parse_number<unsigned>(words[2]);
  const auto severity = severity_of(words[3]);
  if (!raise || !clear || *raise == 0 || *clear > *raise || !readings || *readings < 1 ||
      *readings > kAlarmReadingsMax || !severity)
    return failure();
  return AlarmLimits{true, *raise, *clear, *readings, *severity};
}

Result<AlarmUrl> parse_alarm_url(std::string_view text) {
  AlarmUrl url;
  if (text.empty()) return url;
  const std::size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  const std::size_t path = std::min(text.find('/', scheme), text.size());
  const std::string_view authority = text.substr(scheme, path - scheme);
  const auto is_plain = [](char c) { return c > ' ' && c < 0x7F; };
  if (scheme == 0 || authority.empty() || text.size() > kAlarmUrlMax ||
      !std::ranges::all_of(text, is_plain) ||
      authority.find_first_of("@?#") != std::string_view::npos ||
      text.find('#') != std::string_view::npos)
    return fail(Code::kBadInput,
                "found {} characters, expected a URL such as https://host:8080/path: http or "
                "https, at most {} characters, without user, password and fragment",
                text.size(), kAlarmUrlMax);
  url.origin = text.substr(0, path);
  url.path = path == text.size() ? "/" : std::string(text.substr(path));
  return url;
}

}  // namespace weft
