// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Iterates over all LIDs of a fabric, block by block in several threads, with a verifier for each
// task.
#pragma once

#include "base/parallel.h"
#include "routes/next_hops.h"
#include "verify/adaptive_verifier.h"
#include "verify/lid_verifier.h"
#include "verify/private_tables/private_verifier.h"

namespace weft {

/// Calls body(verifier, lid, block) for the LIDs of each chosen block; verifier is a LidVerifier
/// and block the number of the LID's block. Calls with different blocks may run concurrently. For
/// routes without AR.
template <class Chosen, class Body>
void for_each_static_lid(const Fabric& fabric, const Routes& routes, const Common& common,
                         const PathSls& sls, unsigned threads, Dependencies& dependencies,
                         const Chosen& chosen, const Body& body) {
  const PortMap map(fabric);
  parallel_blocks(lid_blocks(fabric), 1, threads, [&](std::size_t block, std::size_t) {
    if (!chosen(block)) return;
    NextHops hops(map);
    hops.load(routes.lfts, block);
    LidVerifier verifier(fabric, routes, common, sls, hops, dependencies);
    for (std::size_t lid = block * kLftBlock; lid < (block + 1) * kLftBlock; ++lid)
      body(verifier, Lid(static_cast<std::uint16_t>(lid)), block);
  });
}

/// As for_each_static_lid(), for routes with AR; verifier is a `Verifier`.
template <class Verifier, class Body>
void for_each_adaptive_lid(const Fabric& fabric, const Routes& routes, const Common& common,
                           const PathSls& sls, unsigned threads, Dependencies& dependencies,
                           const Body& body) {
  parallel_blocks(lid_blocks(fabric), lid_blocks_per_task(fabric), threads,
                  [&](std::size_t begin, std::size_t end) {
                    Verifier verifier(fabric, routes, common, sls, dependencies);
                    for (std::size_t lid = begin * kLftBlock; lid < end * kLftBlock; ++lid)
                      body(verifier, Lid(static_cast<std::uint16_t>(lid)), lid / kLftBlock);
                  });
}

/// As for_each_static_lid(), for all blocks and all routes; verifier is a LidVerifier, an
/// AdaptiveVerifier or a PrivateVerifier.
template <class Body>
void for_each_lid(const Fabric& fabric, const Routes& routes, const Common& common,
                  const PathSls& sls, unsigned threads, Dependencies& dependencies,
                  const Body& body) {
  if (!routes.adaptive)
    return for_each_static_lid(
        fabric, routes, common, sls, threads, dependencies, [](std::size_t) { return true; }, body);
  if (routes.adaptive->has_private_tables())
    return for_each_adaptive_lid<PrivateVerifier>(fabric, routes, common, sls, threads,
                                                  dependencies, body);
  for_each_adaptive_lid<AdaptiveVerifier>(fabric, routes, common, sls, threads, dependencies, body);
}

}  // namespace weft
