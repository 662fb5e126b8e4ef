// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/channel_usage.h"

#include <algorithm>

namespace weft::jobs {

void ChannelUsage::add(std::uint32_t channel, Picoseconds from, Picoseconds to, double rate) {
  if (rate == 0 || to == from) return;
  total_[channel] += rate * static_cast<double>(to - from);
  while (to > interval_ * kIntervals) merge_neighbors();
  float* bytes = by_interval_.data() + std::size_t{channel} * kIntervals;
  auto at = from / interval_;
  while (from < to) {
    const Picoseconds end = std::min(to, (at + 1) * interval_);
    bytes[at++] += static_cast<float>(rate * static_cast<double>(end - from));
    from = end;
  }
}

void ChannelUsage::merge_neighbors() {
  interval_ *= 2;
  for (std::size_t c = 0; c < total_.size(); ++c) {
    float* bytes = by_interval_.data() + c * kIntervals;
    for (std::uint32_t i = 0; i < kIntervals / 2; ++i) bytes[i] = bytes[2 * i] + bytes[2 * i + 1];
    std::fill(bytes + kIntervals / 2, bytes + kIntervals, 0.0F);
  }
}

}  // namespace weft::jobs
