// How often a time fell between bounds, as Prometheus counts it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft {

struct Histogram {
  /// `bounds` in order, in seconds; they outlive the histogram.
  explicit Histogram(std::span<const double> upper) : bounds(upper), counts(upper.size() + 1, 0) {}
  void add(double seconds);

  std::span<const double> bounds;
  std::vector<std::uint64_t>
      counts;  // up to each bound, beyond the one before; the last: beyond all
  double sum = 0;
  bool operator==(const Histogram& other) const {
    return counts == other.counts && sum == other.sum;
  }
};

}  // namespace weft
