// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/chain/lane_stack.h"

#include <algorithm>

namespace weft {

void LaneStack::grow(unsigned count) {
  while (lanes_.size() < count) lanes_.push_back({AcyclicTurns(turns_), {}});
}

unsigned LaneStack::reserve(const std::vector<bool>& channels, unsigned count) {
  const auto taken = [&](unsigned lane) {
    if (lane >= lanes_.size() || lanes_[lane].reserved.empty()) return false;
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c] && lanes_[lane].reserved[c]) return true;
    return false;
  };
  unsigned first = 0;
  for (unsigned lane = 0; lane < first + count; ++lane)
    if (taken(lane)) first = lane + 1;
  grow(first + count);
  for (unsigned lane = first; lane < first + count; ++lane) {
    std::vector<bool>& reserved = lanes_[lane].reserved;
    reserved.resize(channels.size(), false);
    for (std::size_t c = 0; c < channels.size(); ++c)
      if (channels[c]) reserved[c] = true;
  }
  return first;
}

bool LaneStack::put(std::span<const Turn> set, Lane& lane) {
  if (!lane.reserved.empty())
    for (const auto& [in, out] : set)
      if (lane.reserved[in] || lane.reserved[out]) return false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (lane.held.add(set[i].first, set[i].second)) continue;
    while (i-- > 0) lane.held.remove(set[i].first, set[i].second);
    return false;
  }
  return true;
}

std::optional<unsigned> LaneStack::put(std::span<const Turn> set) {
  for (unsigned lane = 0; lane < kLanesMax; ++lane) {
    const bool fresh = lane == lanes_.size();
    if (fresh) grow(lane + 1);
    if (put(set, lanes_[lane])) return lane;
    if (fresh) {
      lanes_.pop_back();
      break;
    }
  }
  return std::nullopt;
}

std::optional<unsigned> LaneStack::put(const TurnSet& set) {
  std::vector<Turn> turns;
  for (std::uint32_t in = 0; in < turns_.channel_count(); ++in)
    set.each_out(in, [&](std::uint32_t out) {
      turns.emplace_back(in, out);
      return true;
    });
  return put(turns);
}

}  // namespace weft
