// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/hop_dag.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace weft {
namespace {

constexpr std::uint32_t kFree = 0xFFFFFFFF;
constexpr std::uint32_t kNextHopsFew =
    4;  // with at most this many, comparing targets saves no time
// If fewer than 1 in kAlikeShare switches has the same targets as an earlier switch, targets are
// not compared in the next kSkippedComparisons DAGs, which are probably similar.
constexpr std::uint32_t kAlikeShare = 4;
constexpr std::uint32_t kSkippedComparisons = 15;

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
  next_hops_ = 0;
  groups_.clear();
  members_.clear();
}

void HopDag::grow(std::size_t least) {
  const std::size_t size = std::max({std::size_t{256}, channels_.size() * 2, least});
  channels_.resize(size);
  to_.resize(size);
}

/// Sorts the next hops of one switch, given by ascending channel, by preference.
void HopDag::sort_next_hops(std::uint32_t begin, std::uint32_t end) {
  sorted_.clear();
  for (std::uint32_t i = begin; i < end; ++i) sorted_.emplace_back(channels_[i], to_[i]);
  std::ranges::stable_sort(sorted_, {},
                           [&](const auto& next_hop) { return rank_[next_hop.first]; });
  for (std::uint32_t i = begin; i < end; ++i) std::tie(channels_[i], to_[i]) = sorted_[i - begin];
}

/// Divides the drafts into kinds: by hops and, unless the order is to be kept, by number of next
/// hops. Stores the first position of each kind in begin_, and the kind of each draft in kind_.
/// Returns the number of kinds with equal hops.
std::uint32_t HopDag::count_kinds() {
  const auto count = static_cast<std::uint32_t>(drafts_.size());
  kind_.resize(count);
  std::uint32_t next_hops_most = 0;
  std::uint32_t end = next_hops_;
  for (std::uint32_t i = count; i-- > 0;) {
    kind_[i] = end - drafts_[i].next_hop;
    end = drafts_[i].next_hop;
    next_hops_most = std::max(next_hops_most, kind_[i]);
    depth_ = std::max(depth_, drafts_[i].hops);
  }
  // Counting by number of next hops would need too much memory on a long chain of switches.
  const bool by_count =
      !keeps_order_ && std::uint64_t{depth_} * next_hops_most < std::uint64_t{4} * count + 64;
  const std::uint32_t width = by_count ? next_hops_most + 1 : 1;
  begin_.assign((depth_ + std::size_t{1}) * width + 1, 0);
  std::uint32_t* const begin = begin_.data();
  std::uint32_t* const kind = kind_.data();
  const Draft* const drafts = drafts_.data();
  for (std::uint32_t i = 0; i < count; ++i) {
    kind[i] = drafts[i].hops * width + (by_count ? kind[i] : 0);
    ++begin[kind[i] + 1];
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin[i] += begin[i - 1];
  return width;
}

std::uint32_t HopDag::lead_of(std::uint32_t draft, std::uint32_t level_begin) {
  const std::uint32_t next_hops = next_hops_of(draft);
  if (next_hops <= kNextHopsFew && !keeps_order_) {
    leads_.push_back({drafts_[draft].hops, drafts_[draft].next_hop, next_hops, 0});
    return static_cast<std::uint32_t>(leads_.size() - 1);
  }
  const std::uint32_t* const targets = to_.data() + drafts_[draft].next_hop;
  std::size_t slot = hash(targets[0], targets[next_hops - 1], next_hops) & (table_.size() - 1);
  for (;; slot = (slot + 1) & (table_.size() - 1)) {
    const std::uint32_t found = table_[slot];
    if (found == kFree) break;
    const Lead& lead = leads_[found];
    if (found >= level_begin && lead.next_hops == next_hops &&
        std::equal(targets, targets + next_hops, to_.data() + lead.next_hop))
      return found;
  }
  table_[slot] = static_cast<std::uint32_t>(leads_.size());
  leads_.push_back({drafts_[draft].hops, drafts_[draft].next_hop, next_hops, 0});
  return table_[slot];
}

/// Makes one group for each kind. `width` kinds have equal hops.
void HopDag::group_by_count(std::uint32_t width) {
  for (std::uint32_t kind = 0; kind + 1 < begin_.size(); ++kind)
    if (begin_[kind] < begin_[kind + 1])
      groups_.push_back({begin_[kind], begin_[kind + 1], kind % width, false});
  std::uint32_t* const place = begin_.data();
  Member* const members = members_.data();
  const std::uint32_t* const channels = channels_.data();
  const std::uint32_t* const kind = kind_.data();
  const Draft* const drafts = drafts_.data();
  const std::size_t count = drafts_.size();
  for (std::size_t i = 0; i < count; ++i)
    members[place[kind[i]]++] = {drafts[i].sw, drafts[i].next_hop, channels[drafts[i].next_hop]};
}

/// Makes a group for members of a kind with the same targets, and groups for consecutive other
/// members.
void HopDag::group_by_targets() {
  const auto count = static_cast<std::uint32_t>(drafts_.size());
  sorted_drafts_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) sorted_drafts_[begin_[kind_[i]]++] = i;
  table_.assign(std::bit_ceil(std::size_t{count} * 2 + 1), kFree);
  lead_of_.resize(count);
  leads_.clear();
  std::uint32_t level_begin = 0;
  for (const std::uint32_t i : sorted_drafts_) {
    if (!leads_.empty() && drafts_[i].hops != leads_.back().hops)
      level_begin = static_cast<std::uint32_t>(leads_.size());
    lead_of_[i] = lead_of(i, level_begin);
    ++leads_[lead_of_[i]].members;
  }
  begin_.clear();
  std::uint32_t begin = 0;
  std::uint32_t last_hops = 0;
  for (const Lead& lead : leads_) {
    const bool alike = lead.members > 1;
    if (groups_.empty() || alike || groups_.back().alike || last_hops != lead.hops ||
        groups_.back().next_hops != lead.next_hops)
      groups_.push_back({begin, begin, lead.next_hops, alike});
    last_hops = lead.hops;
    begin_.push_back(begin);
    begin += lead.members;
    groups_.back().end = begin;
  }
  for (const std::uint32_t i : sorted_drafts_)
    members_[begin_[lead_of_[i]]++] = {drafts_[i].sw, drafts_[i].next_hop,
                                       channels_[drafts_[i].next_hop]};
  if (leads_.size() > count - count / kAlikeShare) skipped_comparisons_ = kSkippedComparisons;
}

void HopDag::finish() {
  const auto count = static_cast<std::uint32_t>(drafts_.size());
  if (!by_channel())
    for (std::uint32_t i = 0; i < count; ++i)
      sort_next_hops(drafts_[i].next_hop, drafts_[i].next_hop + next_hops_of(i));
  const std::uint32_t width = count_kinds();
  members_.resize(count);
  if (skipped_comparisons_ > 0 && width > 1) {
    --skipped_comparisons_;
    group_by_count(width);
  } else {
    group_by_targets();
  }
}

HopDag HopDag::finished() const {
  HopDag copy;
  copy.destination_ = destination_;
  copy.depth_ = depth_;
  copy.rank_ = rank_;
  copy.next_hops_ = next_hops_;
  copy.channels_.assign(channels_.begin(), channels_.begin() + next_hops_);
  copy.to_.assign(to_.begin(), to_.begin() + next_hops_);
  copy.groups_ = groups_;
  copy.members_ = members_;
  return copy;
}

std::vector<std::uint32_t> channel_heads(const Fabric& fabric) {
  std::vector<std::uint32_t> heads;
  heads.reserve(fabric.channel_count());
  for (const Channel& channel : fabric.channels()) heads.push_back(channel.to.value());
  return heads;
}

}  // namespace weft
