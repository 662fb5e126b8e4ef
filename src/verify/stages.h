// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The stages of a verification that do not depend on how the packets are followed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/lid_tally.h"
#include "verify/path_sls.h"
#include "verify/verify.h"

namespace weft {

Common survey(const Fabric& fabric, const Routes& routes);

/// Why there is nothing to verify; empty otherwise.
std::string why_empty(const Fabric& fabric);

/// All unicast packets, before conclude().
struct UnicastResult {
  Common common;
  PathSls sls;
  Dependencies dependencies;      // those of packets between CAs are among `switches` too
  std::vector<LidTally> tallies;  // by block of LIDs
  Verdict verdict;                // not counted yet
};
/// The result refers to the fabric and the routes.
UnicastResult verify_unicast(const Fabric& fabric, const Routes& routes,
                             const VerifyOptions& options);

/// Completes a verdict: multicast, credit loops and single SLs. Adds the dependencies of multicast
/// packets to `dependencies`. `begun`: channels that packets wait for in all dependencies that are
/// new, if the others have no cycle; null: all are new.
void conclude(const Fabric& fabric, const Routes& routes, const Common& common, const PathSls& sls,
              const VerifyOptions& options, Dependencies& dependencies,
              std::vector<LidTally> tallies, Verdict& verdict,
              const std::vector<ChannelId>* begun = nullptr);

}  // namespace weft
