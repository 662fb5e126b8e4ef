// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Failures while jobs run: which cables, for how long until Weft has programmed new routes, and the
// network with these.
#pragma once

#include <memory>
#include <vector>

#include "cli/simulate/simulate_arguments.h"
#include "jobs/flow_simulator.h"
#include "jobs/job.h"

namespace weft::cli {

struct NetworkChanges {
  std::vector<jobs::NetworkChange> changes;              // by time
  std::vector<std::unique_ptr<RoutedNetwork>> networks;  // that `changes` refer to
};

/// Draws the cables of each failure, and routes the fabric without them and those that failed
/// before. The time to the new routes is that of a manager on an emulated fabric, unless it is
/// given. Fails with kUsage if the network is no fabric that Weft routed.
Result<NetworkChanges> network_changes(const SimulateArguments& arguments,
                                       const LoadedNetwork& loaded,
                                       const std::vector<jobs::FailureSpec>& failures);

}  // namespace weft::cli
