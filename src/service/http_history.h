// The history as the HTTP service answers it, and the counters of all ports at once.
#pragma once

#include "service/history.h"
#include "service/http_data.h"

namespace weft::http_data {

/// Each fails as the reader does.
Result<Json> history_events(const std::string& path, const HistoryQuery& query);
Result<Json> history_sweeps(const std::string& path, const HistoryQuery& query);
Result<Json> history_counters(const std::string& path, const HistoryQuery& query);

/// What every port has counted: load and errors. Null: nobody counts.
Json all_counters(const PortCountsTable& counted, Page page);

}  // namespace weft::http_data
