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

/// JSON list of the P_Keys.
Json pkeys(const Snapshot& snapshot);
/// JSON object of all partitions by P_Key, including the default partition.
Json partitions(const Snapshot& snapshot, PartitionParts parts);
/// JSON object of a partition; an empty object if the P_Key is unknown.
Json partition(const Snapshot& snapshot, std::uint16_t base, PartitionParts parts);

}  // namespace weft::ufm
