// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/partitions/held_pkeys.h"

#include <algorithm>

namespace weft {

HeldPkeys::OfNode HeldPkeys::of(Guid node) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return OfNode({});
  return OfNode(found->second);
}

bool HeldPkeys::OfNode::is_known(PortNum port, std::size_t block) const {
  if (port.value() >= ports_.size()) return false;
  const std::vector<bool>& known = ports_[port.value()].known;
  return block < known.size() && known[block];
}

bool HeldPkeys::OfNode::holds(PortNum port, std::size_t block, const PkeyTable& table) const {
  return is_known(port, block) &&
         std::ranges::equal(entries(port).subspan(block * PkeyTable::kEntries, PkeyTable::kEntries),
                            table.pkeys);
}

std::span<const Pkey> HeldPkeys::OfNode::entries(PortNum port) const {
  return port.value() < ports_.size() ? std::span<const Pkey>(ports_[port.value()].entries)
                                      : std::span<const Pkey>();
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
