// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/history/traffic_sums.h"

#include <algorithm>

#include "service/history/history_rows.h"

namespace weft {

bool TrafficSums::add(sqlite3* database, const std::string& sql, const TrafficQuery& query) {
  for (const Guid node : query.nodes) {
    Statement select(database, sql);
    select.put(std::uint64_t{query.step});
    select.put(node.value());
    select.put(unsigned_of(query.since_ns / kSecondNs));
    select.put(unsigned_of(query.until_ns / kSecondNs));
    if (query.port) select.put(std::uint64_t{query.port->value()});
    while (select.row()) add_row(select);
    if (!select.good()) return false;
  }
  return true;
}

/// Adds the current row of the statement to the sum of its multiple of the step.
void TrafficSums::add_row(Statement& row) {
  const auto [at, added] = sums_.try_emplace(row.number());
  TrafficSum& sum = at->second;
  const auto begin = static_cast<std::int64_t>(row.number());
  const auto end = static_cast<std::int64_t>(row.number());
  const std::int64_t end_before = added ? end : sum.begin + sum.seconds;
  sum.begin = added ? begin : std::min(sum.begin, begin);
  sum.seconds = static_cast<std::uint32_t>(std::max(end_before, end) - sum.begin);
  sum.sent_bytes += row.number();
  sum.received_bytes += row.number();
  sum.wait_ticks += row.number();
  sum.errors += row.number();
  sum.sent_peak = std::max(sum.sent_peak, row.real());
  sum.received_peak = std::max(sum.received_peak, row.real());
  // A later row of a dropped multiple is dropped, too, because it is older than all sums.
  if (sums_.size() > limit_) sums_.erase(sums_.begin());
}

std::vector<TrafficSum> TrafficSums::newest() const {
  std::vector<TrafficSum> newest;
  for (const auto& [multiple, sum] : sums_) newest.push_back(sum);
  return newest;
}

}  // namespace weft
