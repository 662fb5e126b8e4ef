// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A request to change partitions of a running manager, and its result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sm/partitions/partition_update.h"

namespace weft {

struct PartitionOrder {
  PartitionChange change;
  std::optional<PartitionUpdate> update{};  // empty: `change` is applied unchanged
  bool absent_ports = false;                // accept members that are not on the fabric
};

struct PartitionOutcome {
  std::string name;           // name of the partition
  bool changed = false;       // false: the partition already matches the request
  bool file_created = false;  // partitions.conf did not exist
  std::size_t ports = 0;      // endports with a changed P_Key table
  std::size_t nodes = 0;      // nodes with a changed P_Key table, including leaf switches
  bool applied = false;       // all tables are written
  std::string error;          // reason why the change is not applied
};

}  // namespace weft
