// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counters of ports under the names, labels and units of treydock/infiniband_exporter, so that
// dashboards and rules made for it work unchanged. Source: its README and its example rules.
#pragma once

#include <string>

#include "service/sm_board.h"

namespace weft {

/// The metrics as text; empty without counters or snapshot.
std::string exporter_metrics(const Snapshot* snapshot, const PortCountsTable& counters);

}  // namespace weft
