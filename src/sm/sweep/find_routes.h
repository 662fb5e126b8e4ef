// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stage of a sweep: computes routes by the first engine of the chain that provides valid routes, or
// takes routes from memory if the same fabric, or with -A a fabric that contains it, was routed
// before. The routes are verified unless SmOptions::verify is kOff; only kEnforce requires that
// they pass. It sends no SMPs.
#pragma once

#include <optional>

#include "base/result.h"
#include "fabric/fabric.h"
#include "policy/ar_conf.h"
#include "routes/lid_copies.h"
#include "routes/routes.h"
#include "sm/options.h"
#include "sm/subnet_memory.h"
#include "sm/sweep_report.h"
#include "sm/updates.h"
#include "verify/incremental_verifier.h"
#include "verify/verify.h"

namespace weft {

struct RouteInput {
  const Observed& observed;
  const Fabric& fabric;  // includes the LIDs
  const SmOptions& options;
  const ArConf& ar_conf;
  SubnetMemory& memory;  // earlier routes; gets the groups of the new routes
  Updates& updates;      // multicast groups of clients
  IncrementalVerifier& verifier;
};

struct FoundRoutes {
  Routes routes;
  Verdict verdict;
  std::vector<LidCopy> copies{};  // LIDs of virtual ports, sorted
  std::optional<Dependencies>
      dependencies{};  // none if not verified in this sweep, or not usable for later changes
};

/// Fails with the reason of the last engine if no engine has valid routes, or with kUnroutable if
/// the routes with group numbers, or the entries of LIDs of virtual ports, fail verification. The
/// fabric then keeps its tables.
Result<FoundRoutes> find_routes(const RouteInput& input, SweepReport& report);

}  // namespace weft
