// The fabric as a drawing: where each switch stands, what lies between them, and what the routes
// in force put on every cable. Columns rather than objects, because there may be a hundred thousand
// cables; openapi.json says what each column holds.
#pragma once

#include "service/http_data.h"

namespace weft::http_data {

/// Cost: that of lay_out() and count_usage() on one thread, seconds for the largest fabrics.
Json drawing(const Snapshot& snapshot);

}  // namespace weft::http_data
