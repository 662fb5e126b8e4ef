// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Incremental verification: derives the proof of routes from the proof of other routes that differ
// in few table entries and cables. Only packets for LIDs with changed entries are followed, and
// only where their hops or their senders differ. Supports routes with one SL2VL map, and adaptive
// routes with one SL.
#pragma once

#include <optional>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/verify.h"

namespace weft {

/// A verdict, with the dependencies of unicast packets from which it was derived.
/// `dependencies.switches` includes those of packets between CAs. The dependencies refer to the
/// fabric.
struct Proof {
  Verdict verdict;
  Dependencies dependencies;
};

/// Verifies routes as verify() does, and returns the dependencies, too.
Proof prove(const Fabric& fabric, const Routes& routes, const VerifyOptions& options = {});

/// Whether changes of routes with this verdict can be verified alone: all packets except those
/// between switches arrive, the routes are deadlock-free, also with multicast, and the fabric has
/// CAs and LIDs.
bool is_complete(const Verdict& verdict);

/// Routes and their proof.
struct ProvedRoutes {
  const Fabric& fabric;
  const Routes& routes;
  const Verdict& verdict;
  const Dependencies& dependencies;
};

/// The result of prove(fabric, routes, options), derived from the differences to `before`. None if
/// this is not possible: if either verdict is not complete (is_complete()), if switches, endports,
/// LIDs, SLs, SL2VL maps, the use of AR or `options.ignore_replies` differ, if the fabric has
/// several parts, if there are private tables, or if too many entries differ.
std::optional<Proof> prove_changes(const ProvedRoutes& before, const Fabric& fabric,
                                   const Routes& routes, const VerifyOptions& options = {});

}  // namespace weft
