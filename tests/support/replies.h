// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replies use the SL of the request: the packets of a connection from A to B and the packets
// from B to A have one SL.
#pragma once

#include <string>

#include "fabric/fabric.h"
#include "routes/routes.h"

namespace weft {

/// The same tables with the SLs of replies: the path from `source` to a LID at `destination` has
/// the SL of the path from `destination` to a LID at `source`. If `source` has several LIDs,
/// `choice` modulo their number selects one.
Routes with_sls_of_replies(const Fabric& fabric, const Routes& routes, std::size_t choice);

/// Number of pairs of LIDs with different SLs in the two directions.
std::uint64_t pairs_with_another_sl_back(const Fabric& fabric, const Routes& routes);

/// Empty if requests and replies of CAs and of port 0 of switches arrive and are deadlock-free;
/// otherwise a description of the failure.
std::string wrong_with_replies(const Fabric& fabric, const Routes& routes);

}  // namespace weft
