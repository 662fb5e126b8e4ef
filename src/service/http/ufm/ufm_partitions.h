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

/// List of the P_Keys, without attributes.
Json pkeys(const Snapshot& snapshot);
/// List of partitions, ordered by P_Key. The default partition is always included.
Json partitions(const Snapshot& snapshot, PartitionParts parts);
/// One partition; an empty object if the P_Key is unknown.
Json partition(const Snapshot& snapshot, std::uint16_t base, PartitionParts parts);

}  // namespace weft::ufm
