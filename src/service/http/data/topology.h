// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the differences between the fabric and the expected topology.
#pragma once

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// JSON of the findings of the last sweep; none if the fabric is not compared.
Json topology_findings(const SweepReport& report, Page page);

}  // namespace weft::http_data
