// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/lids/alias_guids.h"

#include <algorithm>

namespace weft {

GuidInfo guid_block(Guid port, const std::vector<Guid>& guids, std::size_t block) {
  GuidInfo info;
  const std::size_t first = block * GuidInfo::kEntries;
  for (std::size_t i = 0; i < GuidInfo::kEntries && first + i < guids.size(); ++i)
    info.guids[i] = guids[first + i];
  if (block == 0) info.guids[0] = port;
  return info;
}

bool HeldAliases::holds(Guid port, std::size_t block, const GuidInfo& table) const {
  const auto held = ports_.find(port);
  if (held == ports_.end()) return false;
  const auto known = held->second.find(block);
  return known != held->second.end() && known->second == table;
}

void HeldAliases::remember(Guid port, std::size_t block, const GuidInfo& table) {
  ports_[port][block] = table;
}

void HeldAliases::distrust(const Observed& observed) {
  std::erase_if(ports_, [&](const auto& held) {
    const auto endport = observed.fabric.find_endport(held.first);
    if (!endport) return true;
    const Endport& at = observed.fabric.endport(*endport);
    const Port& port = observed.fabric.port(at.port);
    if (port.num == PortNum(0)) return false;  // port 0 of a switch has no link
    return observed.nodes[at.node.value()].ports[port.num.value()].state <= PortState::kInit;
  });
}

}  // namespace weft
