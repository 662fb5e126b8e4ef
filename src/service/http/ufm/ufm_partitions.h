// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of partitions in UFM's REST interface.
#pragma once

#include <cstdint>

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::ufm {

using http_data::Json;

struct PartitionParts {
  bool guids = false;    // include the members
  bool quality = false;  // include MTU, rate and SL
};

/// The P_Keys alone.
Json pkeys(const Snapshot& snapshot);
/// Ordered by P_Key. The default partition is always included.
Json partitions(const Snapshot& snapshot, PartitionParts parts);
/// {} for an unknown P_Key.
Json partition(const Snapshot& snapshot, std::uint16_t base, PartitionParts parts);

}  // namespace weft::ufm
