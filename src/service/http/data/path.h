// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the path between two endports.
#pragma once

#include <string_view>

#include "base/result.h"
#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// JSON of the path between two endports. Each endport is given as node GUID, port GUID, LID, or
/// unique node description. Fails with kUsage for an unknown endport or an endport without a
/// switch, and with kUnroutable for an unreachable destination.
Result<Json> path(const Snapshot& snapshot, std::string_view from, std::string_view to);

}  // namespace weft::http_data
