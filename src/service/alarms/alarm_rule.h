// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The alarm rules and the measure of each rule. The limits are configuration keys.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ib/performance.h"
#include "service/config/alarm_settings.h"
#include "service/config/settings.h"

namespace weft {

enum class AlarmMeasure {
  kBitErrorRate,  // increase of the counters, divided by the bits that the link carried
  kPerSecond,     // increase of the counters per second
  kInLastHour,    // increase of the counters within the last hour
  kLoad,          // larger of sent and received data, in percent of the link's data rate
  kRateLost       // part of the data rate enabled by both ends that is not used, in percent
};

struct AlarmRule {
  std::string_view name;  // the configuration key is "alarm_" followed by the name
  std::string_view about;
  std::string_view unit;
  AlarmMeasure measure;
  std::array<Counter, 2> counters;  // both equal if the rule uses one counter
  std::string Settings::*limits;
};

/// All rules; the index in this list identifies a rule.
std::span<const AlarmRule> alarm_rules();
inline constexpr std::size_t kAlarmRuleCount = 8;

using AlarmLimitsTable = std::array<AlarmLimits, kAlarmRuleCount>;  // by rule

/// The limits of all rules; all rules are off if `alarms` is FALSE.
AlarmLimitsTable alarm_limits(const Settings& settings);

}  // namespace weft
