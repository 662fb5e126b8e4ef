// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the partitions and their members.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

Json partitions(const Snapshot& snapshot);
/// JSON of a partition and its members. Fails with kUsage if no port is a member and the partition
/// file does not define the partition.
Result<Json> partition(const Snapshot& snapshot, std::uint16_t base);

}  // namespace weft::http_data
