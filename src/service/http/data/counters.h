// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the counters of ports.
#pragma once

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// JSON of the ports with error counters that are not all 0. `counted` is null without a
/// performance manager.
Json errors(const Fabric& fabric, const PortCountsTable& counted);
/// JSON of all counters of a node's ports.
Json counters(Guid node, const PortCountsTable& counted);
/// JSON of the load and errors of the ports within the page. `counted` is null without a
/// performance manager.
Json all_counters(const PortCountsTable& counted, Page page);

}  // namespace weft::http_data
