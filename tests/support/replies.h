// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replies use the SL of the request: the packets of a connection from A to B and those from B to A
// have one SL.
#pragma once

#include <string>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// The same tables with the SLs of replies: on the path from `source` to a LID at `destination` the
/// SL of the path from `destination` to the endports at `source`. Of several LIDs at `source` the
/// one with index `choice`, in a cycle.
Routes with_sls_of_replies(const Fabric& fabric, const Routes& routes, std::size_t choice);

/// Pairs of LIDs with different SLs in the two directions.
std::uint64_t pairs_with_another_sl_back(const Fabric& fabric, const Routes& routes);

/// Empty where requests and replies, of CAs and of port 0 of switches, arrive and cannot deadlock;
/// else a description of the failure.
std::string wrong_with_replies(const Fabric& fabric, const Routes& routes);

}  // namespace weft
