// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Alarms as JSON: for the HTTP service, for a webhook, and for Alertmanager's API v2.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "service/alarms/alarm_book.h"

namespace weft {

nlohmann::ordered_json alarm_json(const Alarm& alarm);
/// JSON of all rules with their limits, including disabled rules.
nlohmann::ordered_json alarm_rules_json(const AlarmLimitsTable& limits);

/// {"changes": [{"change": "raised", ...}], "lost": N}; `lost`: number of changes that were not
/// delivered.
std::string webhook_body(std::span<const AlarmChange> changes, std::uint64_t lost);

/// JSON list of alerts. An active alert expires `lifetime` after `now` unless it is sent again.
std::string alertmanager_body(std::span<const Alarm> alarms, WallTime now,
                              std::chrono::seconds lifetime);

}  // namespace weft
