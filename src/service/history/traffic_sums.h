// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sums of traffic over several nodes, by multiples of a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gmp/sqlite.h"
#include "service/history/history.h"

namespace weft {

class TrafficSums {
 public:
  /// Keeps the sums of the newest `limit` multiples of the step.
  explicit TrafficSums(std::size_t limit) : limit_(limit) {}

  /// Runs `sql` for each node of the query. The parameters of `sql` are step, node, begin and end
  /// of the time in seconds, and the port if the query has a port. The columns are multiple of the
  /// step, begin, end, sent bytes, received bytes, wait ticks, errors, and the highest rates sent
  /// and received. Returns false if the database reports an error.
  bool add(sqlite3* database, const std::string& sql, const TrafficQuery& query);
  /// The newest sums, in order of time.
  std::vector<TrafficSum> newest() const;

 private:
  void add_row(Statement& row);

  const std::size_t limit_;
  std::map<std::uint64_t, TrafficSum> sums_;
};

}  // namespace weft
