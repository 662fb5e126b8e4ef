// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the HTTP endpoints that disconnect and reconnect links of an emulated fabric.
#pragma once

#include "base/result.h"
#include "service/cable_order.h"
#include "service/http/data/json.h"

namespace weft::http_data {

/// Parses the body of POST: {"node", "port"}, both required. Fails with kBadField; the message
/// contains the unknown, missing or invalid member.
Result<CableOrder> cable_order(CableOrder::Action action, const Json& body);

/// JSON of all disconnected links.
Json cut_cables(const CableOutcome& outcome);
/// JSON of the result of a disconnect or reconnect.
Json cable_outcome(CableOrder::Action action, const CableOutcome& outcome);

}  // namespace weft::http_data
