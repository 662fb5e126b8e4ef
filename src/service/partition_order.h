// What somebody wants of the partitions of a manager that runs, and what became of it.
#pragma once

#include <cstddef>
#include <string>

#include "sm/partition_edit.h"

namespace weft {

struct PartitionOrder {
  PartitionChange change;
  bool absent_ports = false;  // ports come in that the fabric does not have
};

struct PartitionOutcome {
  std::string name;           // of the partition
  bool changed = false;       // false: all was already as asked for
  bool file_created = false;  // there was none
  std::size_t ports = 0;      // endports whose P_Key tables change
  std::size_t nodes = 0;      // with a port whose table changes, leaf switches included
  bool applied = false;       // all tables are written
  std::string error;          // why not
};

}  // namespace weft
