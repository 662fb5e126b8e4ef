// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of virtual ports.
#pragma once

#include <optional>

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// JSON of the virtual ports. `host`: only virtual ports of the node or port with this GUID; if
/// empty, also the absent virtual ports.
Json vports(const Snapshot& snapshot, std::optional<Guid> host, Page page);

}  // namespace weft::http_data
