// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The C++ objects that Python objects hold. All are immutable and shared.
#pragma once

#include <memory>

#include "cli/routes/routing_request.h"
#include "congestion/routed_network.h"
#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft::python {

struct FabricHandle {
  std::shared_ptr<const Fabric> fabric;
};

struct RoutesHandle {
  std::shared_ptr<const Fabric> fabric;
  std::shared_ptr<const Routes> routes;
  /// The options of the routing; null for tables from files or from arrays.
  std::shared_ptr<const cli::RoutingRequest> request;
};

struct NetworkHandle {
  std::shared_ptr<const RoutedNetwork> network;
};

}  // namespace weft::python
