// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The documents of `weft fleet`, as JSON and as text. The responses of managers may have any
// content: members with other types than expected count as missing. For missing members, the
// documents have empty texts, 0 and false.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/fleet/fleet.h"

namespace weft::cli {

/// {"total", "unreachable", "not_ready", "alarms", "unacknowledged", "managers": [..]}
Json fleet_status(const std::vector<FleetMember>& members, FleetMember::Time now);
/// {"total", "alarms": [{"manager", ..}]}, unacknowledged and severe alarms first.
Json fleet_alarms(const std::vector<FleetMember>& members);
/// {"events": [{"manager", ..}]}: the last `limit` events, by time.
Json fleet_events(const std::vector<FleetMember>& members, std::size_t limit);
/// {"nodes": [{"manager", ..}], "unreachable": [{"manager", "error"}]}
Json fleet_found(const std::vector<Fleet::SearchResult>& found);

std::string status_text(const Json& status);
std::string fleet_alarms_text(const Json& alarms);
std::string fleet_events_text(const Json& events);
std::string fleet_found_text(const Json& found);

/// Whether all managers answer and are ready, and all alarms are acknowledged.
bool is_fleet_good(const Json& status);

}  // namespace weft::cli
