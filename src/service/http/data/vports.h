// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of virtual ports.
#pragma once

#include <optional>

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// `host`: only the virtual ports of this node GUID or port GUID.
Json vports(const Snapshot& snapshot, std::optional<Guid> host, Page page);

}  // namespace weft::http_data
