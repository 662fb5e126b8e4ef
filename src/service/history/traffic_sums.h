// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sums of traffic over several nodes, by multiples of a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "gmp/sqlite.h"
#include "service/history/history.h"

namespace weft {

class TrafficSums {
 public:
  /// Keeps the newest `limit` multiples.
  explicit TrafficSums(std::size_t limit) : limit_(limit) {}

  /// From the columns of the current row: multiple of the step, begin, end, sent and received
  /// bytes, wait, errors, highest rates of both directions.
  void add_row(Statement& row);
  /// In order of time.
  std::vector<TrafficSum> newest() const;

 private:
  const std::size_t limit_;
  std::map<std::uint64_t, TrafficSum> sums_;
};

}  // namespace weft
