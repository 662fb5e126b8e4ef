// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stages of a verification that are the same for all methods of following packets.
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

/// Collects the data that is the same for all LIDs.
Common survey(const Fabric& fabric, const Routes& routes);

/// The reason why the fabric has no pairs to verify; empty if it has pairs.
std::string why_empty(const Fabric& fabric);

/// Result of following all unicast packets, before conclude().
struct UnicastResult {
  Common common;
  PathSls sls;
  Dependencies dependencies;      // `switches` includes those of packets between CAs
  std::vector<LidTally> tallies;  // by block of LIDs
  Verdict verdict;                // counts are not set yet
};
/// Follows all unicast packets. The result refers to the fabric and the routes.
UnicastResult verify_unicast(const Fabric& fabric, const Routes& routes,
                             const VerifyOptions& options);

/// Completes a verdict: counts, multicast, credit loops and single SLs. Afterwards `dependencies`
/// may include those of multicast packets. `begun`: the channels that packets wait for in new
/// dependencies, if all other dependencies have no cycle; null: all dependencies are new.
void conclude(const Fabric& fabric, const Routes& routes, const Common& common, const PathSls& sls,
              const VerifyOptions& options, Dependencies& dependencies,
              std::vector<LidTally> tallies, Verdict& verdict,
              const std::vector<ChannelId>* begun = nullptr);

}  // namespace weft
