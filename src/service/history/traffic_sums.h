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
  /// Keeps the newest `limit` multiples.
  explicit TrafficSums(std::size_t limit) : limit_(limit) {}

  /// Runs `sql` for each node of the query. Its parameters: step, node, begin and end of the time
  /// in seconds, and the port if the query has one. Its columns: multiple of the step, begin, end,
  /// sent and received bytes, wait, errors, highest rates of both directions. False: the database
  /// has an error.
  bool add(sqlite3* database, const std::string& sql, const TrafficQuery& query);
  /// The newest sums, in order of time.
  std::vector<TrafficSum> newest() const;

 private:
  void add_row(Statement& row);

  const std::size_t limit_;
  std::map<std::uint64_t, TrafficSum> sums_;
};

}  // namespace weft
