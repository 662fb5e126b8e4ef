// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stages of a proof from changes that are the same for all kinds of routes.
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

/// Whether cables connect all switches. The fabric must have a switch.
bool is_one_part(const Fabric& fabric, const Common& common);

/// The dependencies of channels that still exist. The result refers to the fabric.
Dependencies carry_over_dependencies(const Dependencies& before, const Fabric& fabric,
                                     const Routes& routes, const Common& common,
                                     const ChannelMatch& channels);

/// Proved consequences of changed routes, before the search for cycles.
struct ProvedChanges {
  Dependencies dependencies;      // all dependencies of the new routes
  std::vector<ChannelId> begun;   // channels that packets wait for in new dependencies
  std::int64_t switch_pairs = 0;  // increase of pairs that arrive at switches from switches
};

/// A verdict with the counts of `before`. The caller corrects those that the changes affect.
Verdict same_counts(const Verdict& before);

/// Completes a verdict by conclude(), and returns it with `dependencies`, without those of
/// multicast packets, as a proof. `begun`: see conclude().
Proof conclude_proof(const Fabric& fabric, const Routes& routes, const Common& common,
                     const PathSls& sls, const VerifyOptions& options, Dependencies dependencies,
                     std::vector<LidTally> tallies, Verdict verdict,
                     const std::vector<ChannelId>* begun = nullptr);

}  // namespace weft
