// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The stages of a proof from changes that do not depend on the kind of routes.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/lid_tally.h"
#include "verify/path_sls.h"
#include "verify/proof.h"
#include "verify/table_changes.h"
#include "verify/verify.h"

namespace weft {

bool is_one_part(const Fabric& fabric, const Common& common);

/// The dependencies of channels that are still there. The result refers to the fabric.
Dependencies carried_over(const Dependencies& before, const Fabric& fabric, const Routes& routes,
                          const Common& common, const ChannelMatch& channels);

/// What changes of routes are proved to cause, before the search for cycles.
struct ProvedChanges {
  Dependencies dependencies;      // all that there are now
  std::vector<ChannelId> begun;   // channels that packets wait for in dependencies that are new
  std::int64_t switch_pairs = 0;  // arriving at switches from switches, more than before
};

/// The counts of a verdict that do not change.
Verdict same_counts(const Verdict& before);

/// Completes a verdict with these dependencies, and keeps them. `begun`: see conclude().
Proof concluded(const Fabric& fabric, const Routes& routes, const Common& common,
                const PathSls& sls, const VerifyOptions& options, Dependencies dependencies,
                std::vector<LidTally> tallies, Verdict verdict,
                const std::vector<ChannelId>* begun = nullptr);

}  // namespace weft
