// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the state of the replication between managers.
#pragma once

#include "service/http/data/json.h"
#include "service/replication/replication.h"

namespace weft::http_data {

/// JSON of the replication; null: replication is not configured.
Json replication(const replication::Replication* replication);

}  // namespace weft::http_data
