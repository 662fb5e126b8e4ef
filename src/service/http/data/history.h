// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the history, and of the traffic from the performance manager's database.
#pragma once

#include "base/result.h"
#include "service/history/history.h"
#include "service/http/data/json.h"

namespace weft::http_data {

/// JSON of the selected rows of the history. These functions fail with the errors of HistoryReader.
Result<Json> history_events(const std::string& path, const HistoryQuery& query);
Result<Json> history_sweeps(const std::string& path, const HistoryQuery& query);
Result<Json> history_counters(const std::string& path, const HistoryQuery& query);
Result<Json> history_traffic(const std::string& path, const TrafficQuery& query);
/// JSON of the traffic from the performance manager's database. Fails as traffic_of_readings().
Result<Json> reading_traffic(const std::string& path, const TrafficQuery& query);

}  // namespace weft::http_data
