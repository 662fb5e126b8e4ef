// Cables of an emulated fabric as the HTTP service takes and answers them.
#pragma once

#include "service/cable_order.h"
#include "service/http_data.h"

namespace weft::http_data {

/// Of POST: {"node", "port"}, both needed. Fails with kBadField naming what is unknown, missing or
/// wrong.
Result<CableOrder> cable_order(CableOrder::Action action, const Json& body);

/// All that are cut.
Json cut_cables(const CableOutcome& outcome);
/// Of a cut or a repair.
Json cable_outcome(CableOrder::Action action, const CableOutcome& outcome);

}  // namespace weft::http_data
