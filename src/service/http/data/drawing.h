// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the drawing of the fabric: positions of the switches, the links between them, and the
// load of the active routes on each link. The data are columns instead of objects, because there
// may be a hundred thousand links. openapi.json describes the columns.
#pragma once

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// JSON of the drawing. Cost: lay_out() and count_usage() on one thread, which takes seconds for
/// the largest fabrics.
Json drawing(const Snapshot& snapshot);

}  // namespace weft::http_data
