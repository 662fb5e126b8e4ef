#include "routing/shared/hop_dag.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace weft {
namespace {

constexpr std::uint32_t kFree = 0xFFFFFFFF;

std::size_t hash(std::uint32_t first, std::uint32_t last, std::uint32_t count) {
  std::uint64_t mixed = (std::uint64_t{first} << 32 | last) * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ count) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::size_t>(mixed >> 32);
}

}  // namespace

void HopDag::start(SwitchId destination) {
  destination_ = destination;
  depth_ = 0;
  drafts_.clear();
  ways_ = 0;
  groups_.clear();
  members_.clear();
}

void HopDag::grow() {
  const std::size_t size = std::max<std::size_t>(256, channels_.size() * 2);
  channels_.resize(size);
  to_.resize(size);
}

/// Ways of one switch, given by ascending channel, by preference.
void HopDag::sort_ways(std::uint32_t begin, std::uint32_t end) {
  sorted_.clear();
  for (std::uint32_t i = begin; i < end; ++i) sorted_.emplace_back(channels_[i], to_[i]);
  std::ranges::stable_sort(sorted_, {}, [&](const auto& way) { return rank_[way.first]; });
  for (std::uint32_t i = begin; i < end; ++i) std::tie(channels_[i], to_[i]) = sorted_[i - begin];
}

std::uint32_t HopDag::group_of(const Draft& draft, std::uint32_t ways, std::uint32_t level_begin) {
  const auto targets = to_.begin() + draft.way;
  std::size_t slot = hash(targets[0], targets[ways - 1], ways) & (table_.size() - 1);
  for (;; slot = (slot + 1) & (table_.size() - 1)) {
    const std::uint32_t found = table_[slot];
    if (found == kFree) break;
    const Group& group = groups_[found];
    if (found >= level_begin && group.ways == ways &&
        std::equal(targets, targets + ways, to_.begin() + group.to))
      return found;
  }
  table_[slot] = static_cast<std::uint32_t>(groups_.size());
  groups_.push_back({0, 0, draft.way, ways});
  return table_[slot];
}

void HopDag::finish() {
  const auto count = static_cast<std::uint32_t>(drafts_.size());
  const auto ways_of = [&](std::uint32_t i) {
    return (i + 1 < count ? drafts_[i + 1].way : ways_) - drafts_[i].way;
  };
  if (!by_channel())
    for (std::uint32_t i = 0; i < count; ++i)
      sort_ways(drafts_[i].way, drafts_[i].way + ways_of(i));
  for (const Draft& draft : drafts_) depth_ = std::max(depth_, draft.hops);

  // By hops, stably.
  begin_.assign(depth_ + 2, 0);
  for (const Draft& draft : drafts_) ++begin_[draft.hops + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  by_hops_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) by_hops_[begin_[drafts_[i].hops]++] = i;

  table_.assign(std::bit_ceil(std::size_t{count} * 2 + 1), kFree);
  group_of_draft_.resize(count);
  std::uint32_t level_begin = 0;
  for (std::uint32_t at = 0; at < count; ++at) {
    const std::uint32_t i = by_hops_[at];
    if (at > 0 && drafts_[i].hops != drafts_[by_hops_[at - 1]].hops)
      level_begin = static_cast<std::uint32_t>(groups_.size());
    group_of_draft_[i] = group_of(drafts_[i], ways_of(i), level_begin);
    ++groups_[group_of_draft_[i]].end;
  }

  std::uint32_t begin = 0;
  for (Group& group : groups_) {
    const std::uint32_t size = group.end;
    group.begin = group.end = begin;
    begin += size;
  }
  members_.resize(count);
  for (const std::uint32_t i : by_hops_) {
    Group& group = groups_[group_of_draft_[i]];
    members_[group.end++] = {drafts_[i].sw, drafts_[i].way, channels_[drafts_[i].way]};
  }
}

std::vector<std::uint32_t> channel_heads(const Fabric& fabric) {
  std::vector<std::uint32_t> heads;
  heads.reserve(fabric.channel_count());
  for (const Channel& channel : fabric.channels()) heads.push_back(channel.to.value());
  return heads;
}

}  // namespace weft
