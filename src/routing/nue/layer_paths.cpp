// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/layer_paths.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weft::nue {

LayerPaths::LayerPaths(const Arcs& arcs)
    : arcs_(arcs),
      members_(arcs.switches),
      used_(arcs.count()),
      growth_(arcs.switches),
      earliest_(arcs.switches),
      locked_(arcs.switches, kNoArc),
      onward_(arcs.count() + std::size_t{1}),  // the extra element absorbs uncounted writes
      onward_end_(arcs.switches),
      candidates_(arcs.count()) {}

void LayerPaths::grow(const Ranking& ranking, std::uint32_t destination) {
  ranking_ = &ranking;
  destination_ = destination;
  if (any_locked_) std::ranges::fill(locked_, kNoArc);
  any_locked_ = false;
  while (!grow_once()) lock_paths();
}

/// True where every connected switch has joined.
bool LayerPaths::grow_once() {
  member_count_ = 0;
  used_count_ = 0;
  std::ranges::fill(growth_, Growth{});
  growth_[destination_].hops = 0;
  growth_[destination_].latest = kAny;
  earliest_[destination_] = kAny;
  joining_.assign(1, destination_);
  const std::size_t others = arcs_.part_size[destination_] - 1;
  for (std::uint32_t level = 1; member_count_ < others; ++level) {
    count_alternatives();
    std::uint32_t begin = 0;
    if (level > 1)
      for (std::size_t i = 0; i < joining_.size(); ++i) {
        const std::uint32_t end = onward_end_.data()[i];
        choose(joining_.data()[i], {onward_.data() + begin, end - begin});
        begin = end;
      }
    join(level);
    if (joining_.empty()) return false;
    if (member_count_ + joining_.size() == others) {
      for (const std::uint32_t sw : joining_) take(sw, 0);
      return true;
    }
  }
  return true;
}

/// Finds the switches that can join over those of the previous level, with their arcs.
void LayerPaths::join(std::uint32_t level) {
  // Local copies, so that the stores do not force a reload; below as well.
  const std::uint32_t* const begin = arcs_.begin.data();
  const std::uint32_t* const locked = locked_.data();
  const bool any_locked = any_locked_;
  Growth* const growth = growth_.data();
  Candidate* const candidates = candidates_.data();
  std::swap(before_, joining_);
  joining_.resize(arcs_.switches + std::size_t{1});  // the extra element absorbs uncounted writes
  std::uint32_t* const joining = joining_.data();
  std::size_t count = 0;
  const Onward* onward = onward_.data();
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const std::uint32_t earliest = earliest_.data()[before_.data()[i]];
    const Onward* const end = onward_.data() + onward_end_.data()[i];
    for (; onward != end; ++onward) {
      const auto [sw, place, arc] = *onward;
      if (any_locked && locked[sw] != kNoArc && locked[sw] != arc) continue;
      // No branches: whether a switch can join is unpredictable.
      Growth& of = growth[sw];
      const bool joins = place < earliest;
      const bool is_first = joins & (of.hops == kUnreachable);
      joining[count] = sw;
      count += is_first ? 1 : 0;
      candidates[begin[sw] + of.options] = {place, arc};
      of.hops = joins ? level : of.hops;
      of.options += joins ? 1 : 0;
      of.latest = std::max(of.latest, joins ? place : 0);
      of.alternatives = is_first ? 0 : of.alternatives;
    }
  }
  joining_.resize(count);
}

/// Counts the joining switches as possible next hops for the neighbours that could join over them.
void LayerPaths::count_alternatives() {
  const std::uint32_t* const begin = arcs_.begin.data();
  const std::uint32_t* const head = arcs_.head.data();
  const std::uint32_t* const reverse = arcs_.reverse.data();
  const std::uint32_t* const back = ranking_->back.data();
  Growth* const growth = growth_.data();
  Onward* const onward = onward_.data();
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < joining_.size(); ++i) {
    const std::uint32_t sw = joining_.data()[i];
    const std::uint32_t latest = growth[sw].latest;
    const std::uint32_t end = begin[sw + 1];
    for (std::uint32_t out = begin[sw]; out < end; ++out) {
      Growth& of = growth[head[out]];
      const std::uint32_t could = unsigned{of.hops == kUnreachable} & unsigned{back[out] < latest};
      of.alternatives += could;
      onward[count] = {head[out], back[out], reverse[out]};
      count += could;
    }
    onward_end_.data()[i] = count;
  }
}

/// Takes as many of the candidates as leave every neighbour a possible next hop.
void LayerPaths::choose(std::uint32_t sw, std::span<const Onward> onward) {
  Growth* const growth = growth_.data();
  if (growth[sw].options == 1) return take(sw, 0);
  std::uint32_t needed = 0;  // the earliest arc taken must not be before this
  for (const Onward& from : onward) {
    const bool last = growth[from.sw].alternatives == 1;
    needed = std::max(needed, last ? from.place + 1 : 0);
  }
  take(sw, needed);
  const std::uint32_t earliest = earliest_.data()[sw];
  if (earliest == growth[sw].latest) return;
  for (const Onward& from : onward)
    growth[from.sw].alternatives -= unsigned{from.place >= earliest};
}

void LayerPaths::take(std::uint32_t sw, std::uint32_t needed) {
  const Candidate* const candidates = candidates_.data() + arcs_.begin.data()[sw];
  const std::uint32_t options = growth_.data()[sw].options;
  std::uint32_t* const used = used_.data();
  std::uint32_t count = used_count_;
  std::uint32_t earliest = kAny;
  // No branches, and so writes at the end of those taken that the next one replaces.
  for (std::uint32_t i = 0; i < options; ++i) {
    const auto [place, arc] = candidates[i];
    const bool taken = place >= needed;
    used[count] = arc;
    count += taken ? 1 : 0;
    earliest = std::min(earliest, taken ? place : kAny);
  }
  earliest_.data()[sw] = earliest;
  members_.data()[member_count_++] = {sw, used_count_, count};
  used_count_ = count;
}

/// Locks the switches on the paths of those that could not join to one tree.
void LayerPaths::lock_paths() {
  tree_.assign(arcs_.switches, kNoArc);
  for (std::size_t i = ranking_->arcs.size(); i-- > 0;) {
    const std::uint32_t arc = ranking_->arcs[i];
    const std::uint32_t from = arcs_.tail[arc];
    const std::uint32_t to = arcs_.head[arc];
    if (from == destination_ || tree_[from] != kNoArc) continue;
    if (to == destination_ || tree_[to] != kNoArc) tree_[from] = arc;
  }
  bool more = false;
  for (std::uint32_t start = 0; start < arcs_.switches; ++start) {
    if (hops(start) != kUnreachable || tree_[start] == kNoArc) continue;
    for (std::uint32_t at = start; at != destination_ && locked_[at] == kNoArc;) {
      locked_[at] = tree_[at];
      at = arcs_.head[tree_[at]];
      more = true;
    }
  }
  CHECK(more);
  any_locked_ = true;
}

std::uint64_t LayerPaths::detoured(std::span<const std::uint32_t> hops,
                                   std::span<const std::uint32_t> sent) const {
  const Growth* const growth = growth_.data();
  std::uint64_t sum = 0;
  for (const Member& member : members())
    sum += growth[member.sw].hops > hops.data()[member.sw] ? sent.data()[member.sw] : 0;
  return sum;
}

void LayerPaths::fill(HopDag& dag) {
  dag.start(SwitchId(destination_));
  const std::uint32_t* const head = arcs_.head.data();
  const std::uint32_t* const channels = arcs_.channels.data();
  const std::uint32_t* const channel_begin = arcs_.channel_begin.data();
  for (const Member& member : members()) {
    dag.add_switch(member.sw, hops(member.sw));
    // A handful, ascending: each is inserted at its place.
    channels_.clear();
    for (const std::uint32_t arc : arcs_of(member))
      for (std::uint32_t i = channel_begin[arc]; i < channel_begin[arc + 1]; ++i) {
        const std::pair added{channels[i], head[arc]};
        channels_.push_back(added);
        auto* place = &channels_.back();
        for (; place != channels_.data() && place[-1].first > added.first; --place)
          *place = place[-1];
        *place = added;
      }
    for (const auto& [channel, to] : channels_) dag.add_next_hop(channel, to);
  }
  dag.finish();
}

}  // namespace weft::nue
