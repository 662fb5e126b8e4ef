// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Bytes that crossed each channel, in total and by interval of time. The number of intervals is
// fixed: if the simulation is longer than all intervals together, pairs of adjacent intervals are
// merged, which doubles the length of an interval.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jobs/units.h"

namespace weft::jobs {

class ChannelUsage {
 public:
  static constexpr std::uint32_t kIntervals = 64;  // after a merge, more than half of them are used

  explicit ChannelUsage(std::uint32_t channels)
      : total_(channels), by_interval_(std::size_t{channels} * kIntervals) {}

  /// Adds traffic of `rate` bytes per picosecond that crossed a channel from time `from` to time
  /// `to`.
  void add(std::uint32_t channel, Picoseconds from, Picoseconds to, double rate);

  double total(std::uint32_t channel) const { return total_[channel]; }
  std::span<const float> by_interval(std::uint32_t channel) const {
    return std::span(by_interval_).subspan(std::size_t{channel} * kIntervals, kIntervals);
  }
  Picoseconds interval() const { return interval_; }
  std::uint32_t channel_count() const { return static_cast<std::uint32_t>(total_.size()); }

 private:
  void merge_neighbors();

  Picoseconds interval_ = 1'000'000;
  std::vector<double> total_;
  std::vector<float> by_interval_;
};

}  // namespace weft::jobs
