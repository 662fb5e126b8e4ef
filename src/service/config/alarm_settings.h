// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Values of the configuration keys of alarms: limits of a rule, and URLs that receive alarms.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

enum class Severity { kInfo, kWarning, kCritical };

std::string_view name(Severity severity);

/// When the alarm of a rule begins and ends. The values are in the unit of the rule.
struct AlarmLimits {
  bool on = false;
  double raise = 0;       // at least this value raises the alarm
  double clear = 0;       // at most this value ends the alarm; not above `raise`
  unsigned readings = 1;  // consecutive readings required to raise or to end the alarm
  Severity severity = Severity::kWarning;
  bool operator==(const AlarmLimits&) const = default;
};

/// Parses "RAISE CLEAR READINGS SEVERITY", or "off". Fails with kBadInput.
Result<AlarmLimits> parse_alarm_limits(std::string_view text);

struct AlarmUrl {
  std::string origin;  // "https://host:port"; empty: no URL
  std::string path;    // begins with '/'; includes the query
  bool operator==(const AlarmUrl&) const = default;
};

/// Parses an http or https URL without user and password; empty text: no URL. Fails with
/// kBadInput; the message does not repeat the URL, which may be secret.
Result<AlarmUrl> parse_alarm_url(std::string_view text);

}  // namespace weft
