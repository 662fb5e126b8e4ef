// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Failures while jobs run: the failed cables, the time until Weft has programmed new routes, and
// the network with the new routes.
#pragma once

#include <memory>
#include <vector>

#include "cli/routes/routing_request.h"
#include "jobs/flow_simulator.h"
#include "jobs/job.h"
#include "routing/engine.h"

namespace weft::cli {

struct NetworkChanges {
  std::vector<jobs::NetworkChange> changes;              // by time
  std::vector<std::unique_ptr<RoutedNetwork>> networks;  // the networks to which `changes` refer
};

/// A fabric with its routes and the request that computed them.
struct FailingFabric {
  const Fabric& fabric;
  const RoutedNetwork& network;
  const Routes& routes;
  const RoutingRequest& request;
  EngineFinder find = &find_engine;
};

/// Selects the cables of each failure by `seed`, and routes the fabric without all cables that
/// failed until then. The time to the new routes, if it is not given, is that of a manager on an
/// emulated fabric in which only the cables of this failure fail. Fails with kUsage if no manager
/// has the engine and the time is not given, with kBadInput if the fabric has too few cables, and
/// with kUnroutable if the remaining fabric cannot be routed.
Result<NetworkChanges> network_changes(const FailingFabric& fabric,
                                       const std::vector<jobs::FailureSpec>& failures,
                                       std::uint64_t seed);

}  // namespace weft::cli
