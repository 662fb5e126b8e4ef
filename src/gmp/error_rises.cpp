// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/error_rises.h"

#include <algorithm>

namespace weft {

void ErrorRises::add(Guid node, PortNum port, const CounterValues& delta) {
  for (std::size_t i = 0; i < kErrorCounterCount; ++i)
    if (delta[i] > 0 && counter_at(i) != Counter::kXmitWait)
      pending_[{node, port, counter_at(i)}] += delta[i];
}

void ErrorRises::forget(Guid node) {
  std::erase_if(pending_, [&](const auto& entry) { return std::get<Guid>(entry.first) == node; });
  std::erase_if(reported_, [&](const auto& entry) { return std::get<Guid>(entry.first) == node; });
}

std::vector<ErrorRise> ErrorRises::take(const CounterStore& store, TimeNs now) {
  std::erase_if(reported_,
                [&](const auto& entry) { return now - entry.second >= kReportInterval; });
  std::vector<ErrorRise> rises;
  auto next = last_ ? pending_.upper_bound(*last_) : pending_.begin();
  last_.reset();
  for (std::size_t left = pending_.size(); left > 0 && rises.size() < kReportsMax; --left) {
    if (next == pending_.end()) next = pending_.begin();
    const auto at = next++;
    const auto& [guid, port, counter] = at->first;
    if (reported_.contains(at->first)) continue;
    const auto node = store.nodes().find(guid);
    if (node != store.nodes().end() && node->second.ports.contains(port)) {
      const std::uint64_t total = node->second.ports.at(port).total[index(counter)];
      rises.push_back(
          {guid, node->second.name, port, counter, total - std::min(total, at->second), total});
      reported_[at->first] = now;
      if (rises.size() == kReportsMax) last_ = at->first;
    }
    pending_.erase(at);
  }
  return rises;
}

}  // namespace weft
