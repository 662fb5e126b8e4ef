// JSON of the HTTP endpoints for the history and for the counters of all ports.
#pragma once

#include "service/history/history.h"
#include "service/http/http_data.h"

namespace weft::http_data {

/// Fail with the errors of HistoryReader.
Result<Json> history_events(const std::string& path, const HistoryQuery& query);
Result<Json> history_sweeps(const std::string& path, const HistoryQuery& query);
Result<Json> history_counters(const std::string& path, const HistoryQuery& query);

/// Load and errors of every port. `counted` may be null: no performance manager.
Json all_counters(const PortCountsTable& counted, Page page);

}  // namespace weft::http_data
