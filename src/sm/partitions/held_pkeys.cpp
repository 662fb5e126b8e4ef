// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/partitions/held_pkeys.h"

#include <algorithm>

namespace weft {

const HeldPkeys::PortTable* HeldPkeys::find(Guid node, PortNum port) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() || port.value() >= found->second.size()
             ? nullptr
             : &found->second[port.value()];
}

bool HeldPkeys::knows(Guid node, PortNum port, std::size_t block) const {
  const PortTable* table = find(node, port);
  return table != nullptr && block < table->known.size() && table->known[block];
}

bool HeldPkeys::holds(Guid node, PortNum port, std::size_t block, const PkeyTable& table) const {
  if (!knows(node, port, block)) return false;
  const std::span<const Pkey> all = find(node, port)->entries;
  return std::ranges::equal(all.subspan(block * PkeyTable::kEntries, PkeyTable::kEntries),
                            table.pkeys);
}

std::span<const Pkey> HeldPkeys::entries(Guid node, PortNum port) const {
  const PortTable* table = find(node, port);
  return table == nullptr ? std::span<const Pkey>() : table->entries;
}

void HeldPkeys::remember(Guid node, PortNum port, std::size_t block, const PkeyTable& table) {
  std::vector<PortTable>& ports = nodes_[node];
  if (port.value() >= ports.size()) ports.resize(port.value() + std::size_t{1});
  PortTable& held = ports[port.value()];
  if (block >= held.known.size()) {
    held.known.resize(block + 1, false);
    held.entries.resize((block + 1) * PkeyTable::kEntries);
  }
  held.known[block] = true;
  std::ranges::copy(
      table.pkeys, held.entries.begin() + static_cast<std::ptrdiff_t>(block * PkeyTable::kEntries));
}

void HeldPkeys::distrust(const Observed& observed) {
  std::erase_if(nodes_, [&](const auto& entry) { return !observed.fabric.find_node(entry.first); });
  for (auto& [guid, ports] : nodes_) {
    const ObservedNode& seen = observed.nodes[observed.fabric.find_node(guid)->value()];
    for (std::size_t port = 1; port < std::min(ports.size(), seen.ports.size()); ++port)
      if (seen.ports[port].state <= PortState::kInit) ports[port] = {};
  }
}

}  // namespace weft
