// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/counter_store.h"

#include <algorithm>

#include "base/printable.h"

namespace weft {

void CounterStore::set_active(Guid node, const std::string& name) {
  NodeTally& tally = nodes_[node];
  tally.name = printable(name);  // without line breaks, which would break dumps
  tally.active = true;
}

CounterStore::Change CounterStore::take(Guid node, PortNum port, const CounterValues& read,
                                        CounterGroup group, std::time_t now) {
  PortTally& tally = nodes_[node].ports[port];
  if (tally.since == 0 && tally.last_reset != 0)
    tally.since = std::max(tally.errors_read, tally.data_read);
  if (tally.last_reset == 0) tally.last_reset = tally.errors_read = tally.data_read = now;
  (group == CounterGroup::kErrors ? tally.errors_read : tally.data_read) = now;
  Change change;
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    if (!is_in(counter_at(i), group)) continue;
    const bool decreased = read[i] < tally.previous[i];
    change.has_decreased |= decreased;
    change.delta[i] = decreased ? read[i] : read[i] - tally.previous[i];
    tally.total[i] += change.delta[i];
    tally.recent[i] += change.delta[i];
    tally.unwritten |= read[i] != tally.previous[i];
    tally.previous[i] = read[i];
  }
  return change;
}

bool CounterStore::has(Guid node, PortNum port) const {
  const auto at = nodes_.find(node);
  return at != nodes_.end() && at->second.ports.contains(port);
}

void CounterStore::record_clear(Guid node, PortNum port, CounterGroup group) {
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return;
  const auto found = at->second.ports.find(port);
  if (found == at->second.ports.end()) return;
  for (std::size_t i = 0; i < kCounterCount; ++i)
    if (is_in(counter_at(i), group)) found->second.previous[i] = 0;
  found->second.unwritten = true;
}

std::size_t CounterStore::forget_inactive() {
  return std::erase_if(nodes_, [](const auto& entry) { return !entry.second.active; });
}

void CounterStore::clear_totals(std::time_t now) {
  for (auto& [guid, node] : nodes_)
    for (auto& [num, port] : node.ports) {
      port.total = {};
      port.unwritten = true;
      port.last_reset = port.errors_read = port.data_read = now;
    }
}

void CounterStore::mark_written() {
  for (auto& [guid, node] : nodes_)
    for (auto& [num, port] : node.ports) {
      port.recent = {};
      port.since = 0;
      port.unwritten = false;
    }
}

}  // namespace weft
