// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/alarms/alarm_rule.h"

namespace weft {
namespace {

using enum AlarmMeasure;
using enum Counter;

constexpr AlarmRule kAlarmRules[] = {
    {"bit_error_rate",
     "symbol errors per bit",
     "errors/bit",
     kBitErrorRate,
     {kSymbolErrors, kSymbolErrors},
     &Settings::alarm_bit_error_rate},
    {"link_downed",
     "link failures within an hour",
     "failures/h",
     kInLastHour,
     {kLinkDowned, kLinkDowned},
     &Settings::alarm_link_downed},
    {"link_recovery",
     "link error recoveries within an hour",
     "recoveries/h",
     kInLastHour,
     {kLinkErrorRecovery, kLinkErrorRecovery},
     &Settings::alarm_link_recovery},
    {"link_integrity",
     "local link integrity errors and buffer overruns within an hour",
     "errors/h",
     kInLastHour,
     {kLocalLinkIntegrityErrors, kBufferOverrunErrors},
     &Settings::alarm_link_integrity},
    {"receive_errors",
     "packets received with errors",
     "packets/s",
     kPerSecond,
     {kRcvErrors, kRcvErrors},
     &Settings::alarm_receive_errors},
    {"discards",
     "packets discarded at the output",
     "packets/s",
     kPerSecond,
     {kXmitDiscards, kXmitDiscards},
     &Settings::alarm_discards},
    {"load",
     "load of the busier direction",
     "%",
     kLoad,
     {kXmitData, kRcvData},
     &Settings::alarm_load},
    {"slow_link",
     "part of the rate enabled at both ends that is not used",
     "%",
     kRateLost,
     {},
     &Settings::alarm_slow_link},
};
static_assert(std::size(kAlarmRules) == kAlarmRuleCount);

}  // namespace

std::span<const AlarmRule> alarm_rules() { return kAlarmRules; }

AlarmLimitsTable alarm_limits(const Settings& settings) {
  AlarmLimitsTable table;
  if (!settings.alarms) return table;
  for (std::size_t i = 0; i < kAlarmRuleCount; ++i)
    table[i] = parse_alarm_limits(settings.*kAlarmRules[i].limits).value_or(AlarmLimits{});
  return table;
}

}  // namespace weft
