// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counters of ports with the names, labels and units of treydock/infiniband_exporter, so that
// dashboards and rules for this exporter work unchanged. Source: its README and its example rules.
#pragma once

#include <string>

#include "service/sm_board.h"

namespace weft {

/// The metrics as text; empty if there are no counters or no snapshot.
std::string exporter_metrics(const Snapshot* snapshot, const PortCountsTable& counters);

}  // namespace weft
