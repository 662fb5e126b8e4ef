// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as partitions.conf and resolves the partitions on a small fabric. All MGIDs are
// multicast. A second plan of a P_Key table from the first plan is equal to the first plan; a
// filtered table is not larger.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz_target.h"
#include "sm/partitions/partitions.h"
#include "small_fabric.h"

WEFT_FUZZ_TARGET(partitions, data, size) {
  static const weft::Fabric fabric = small_fabric();
  std::vector<std::string> warnings;
  const auto file = weft::parse_partitions(
      std::string_view(reinterpret_cast<const char*>(data), size), "p", warnings);
  if (!file) {
    if (!file.error().message.starts_with("p:")) std::abort();
    return 0;
  }
  for (const weft::PartitionGroup& group : weft::partition_groups(*file))
    if (group.mgid[0] != std::byte{0xFF}) std::abort();
  if (!weft::check_port_groups(*file)) return 0;
  const auto ports = weft::resolve_partitions(*file, fabric, weft::EndportId(0), warnings);
  for (const weft::PortPartitions& port : ports)
    for (const bool both : {false, true}) {
      const auto layout = weft::lay_out_pkeys(port, {}, 32, both, true);
      const auto again = weft::lay_out_pkeys(port, layout.table, 32, both, true);
      if (again.table != layout.table || layout.table.size() > 32) std::abort();
      if (weft::filter_table(layout.table).size() > layout.table.size()) std::abort();
    }
  return 0;
}
