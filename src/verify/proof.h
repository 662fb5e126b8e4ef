// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Incremental verification: from the proof of some routes that of others which differ in few table
// entries and cables. Only packets for LIDs with changed entries are followed, and only where their
// hops or their senders differ. Routes with one SL2VL map; adaptive ones with one SL.
#pragma once

#include <optional>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "verify/dependencies.h"
#include "verify/verify.h"

namespace weft {

/// A verdict, with the dependencies of unicast packets that it is based on. Those of packets
/// between CAs are among `dependencies.switches` too. Refers to the fabric.
struct Proof {
  Verdict verdict;
  Dependencies dependencies;
};

/// verify(), with the dependencies.
Proof prove(const Fabric& fabric, const Routes& routes, const VerifyOptions& options = {});

/// Whether the changes of routes with this verdict may be verified alone: all packets arrive, free
/// of deadlock.
bool is_complete(const Verdict& verdict);

/// Routes and their proof.
struct ProvedRoutes {
  const Fabric& fabric;
  const Routes& routes;
  const Verdict& verdict;
  const Dependencies& dependencies;
};

/// The result of prove(fabric, routes, options), from what differs to `before`. Nothing if that is
/// not enough: if either verdict is not a pass, if switches, endports, LIDs, SLs or maps differ, if
/// the fabric has several parts, or if many entries differ.
std::optional<Proof> prove_changes(const ProvedRoutes& before, const Fabric& fabric,
                                   const Routes& routes, const VerifyOptions& options = {});

}  // namespace weft
