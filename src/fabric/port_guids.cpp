// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/port_guids.h"

namespace weft {

std::vector<EndportId> find_endports(const Fabric& fabric, Guid port_guid) {
  const auto first = fabric.find_endport(port_guid);
  if (!first) return {};
  std::vector<EndportId> found{*first};
  // Endports of a node are consecutive, in the order of port numbers.
  for (std::uint32_t e = first->value() + 1; e < fabric.endport_count(); ++e) {
    const Endport& next = fabric.endport(EndportId(e));
    if (next.node != fabric.endport(*first).node) break;
    if (fabric.port(next.port).guid == port_guid) found.push_back(EndportId(e));
  }
  return found;
}

std::optional<EndportId> find_endport_of(const Fabric& fabric, const Port& port) {
  const auto found = find_endports(fabric, port.guid);
  if (found.empty()) return std::nullopt;
  for (const EndportId id : found)
    if (fabric.port(fabric.endport(id).port).num == port.num) return id;
  return found.front();
}

}  // namespace weft
