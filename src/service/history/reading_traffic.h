// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Traffic from the performance manager's database, for a manager without a history.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "service/history/history.h"

namespace weft {

/// Like HistoryReader::traffic(), from the readings and the sums of readings that the database has
/// for each time. Fails with kEnvironment, also while the file is being created, and after
/// query.time_max.
Result<std::vector<TrafficSum>> traffic_of_readings(const std::string& path,
                                                    const TrafficQuery& query);

}  // namespace weft
