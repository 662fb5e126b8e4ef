// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A histogram of durations with Prometheus' bucket semantics.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

struct Histogram {
  /// `upper`: ascending upper bounds of the buckets in seconds; must outlive the histogram.
  explicit Histogram(std::span<const double> upper) : bounds(upper), counts(upper.size() + 1, 0) {}
  void add(double seconds);

  std::span<const double> bounds;
  /// Number of values in each bucket, not cumulative. The last bucket is above all bounds.
  std::vector<std::uint64_t> counts;
  double sum = 0;
  bool operator==(const Histogram& other) const {
    return counts == other.counts && sum == other.sum;
  }
};

}  // namespace weft
