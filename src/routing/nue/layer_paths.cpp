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
      hops_(arcs.switches),
      earliest_(arcs.switches),
      locked_(arcs.switches, kNoArc),
      options_(arcs.switches),
      latest_(arcs.switches),
      candidates_(arcs.count()),
      alternatives_(arcs.switches) {}

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
  std::ranges::fill(hops_, kUnreachable);
  std::ranges::fill(options_, 0);
  std::ranges::fill(latest_, 0);
  std::ranges::fill(alternatives_, 0);
  hops_[destination_] = 0;
  earliest_[destination_] = kAny;
  joining_.assign(1, destination_);
  const std::size_t others = arcs_.part_size[destination_] - 1;
  for (std::uint32_t level = 1; !joining_.empty() && member_count_ < others; ++level) {
    join(level);
    if (member_count_ + joining_.size() == others) {
      for (const std::uint32_t sw : joining_) take(sw, 0);
      return true;
    }
    for (const std::uint32_t sw : joining_) count_alternative(sw);
    for (const std::uint32_t sw : joining_) choose(sw);
  }
  return member_count_ == others;
}

/// Finds the switches that can join over those of the previous level, with their arcs.
void LayerPaths::join(std::uint32_t level) {
  // Local copies, so that the stores do not force a reload; below as well.
  const std::uint32_t* const begin = arcs_.begin.data();
  const std::uint32_t* const head = arcs_.head.data();
  const std::uint32_t* const reverse = arcs_.reverse.data();
  const std::uint32_t* const back = ranking_->back.data();
  std::uint32_t* const hops = hops_.data();
  std::uint32_t* const options = options_.data();
  std::uint32_t* const latest = latest_.data();
  Candidate* const candidates = candidates_.data();
  std::uint32_t* const alternatives = alternatives_.data();
  std::swap(before_, joining_);
  joining_.resize(arcs_.switches + std::size_t{1});  // the extra element absorbs uncounted writes
  std::uint32_t* const joining = joining_.data();
  std::size_t count = 0;
  for (const std::uint32_t to : before_) {
    const std::uint32_t earliest = earliest_[to];
    const std::uint32_t end = begin[to + 1];
    for (std::uint32_t out = begin[to]; out < end; ++out) {
      const std::uint32_t sw = head[out];
      const std::uint32_t place = back[out];
      const std::uint32_t arc = reverse[out];
      if (any_locked_ && locked_[sw] != kNoArc && locked_[sw] != arc) continue;
      // No branches: whether a switch can join is unpredictable.
      const bool joins = (hops[sw] >= level) & (place < earliest);
      const bool is_first = joins & (hops[sw] == kUnreachable);
      joining[count] = sw;
      count += is_first ? 1 : 0;
      hops[sw] = joins ? level : hops[sw];
      alternatives[sw] = is_first ? 0 : alternatives[sw];
      candidates[begin[sw] + options[sw]] = {place, arc};
      options[sw] += joins ? 1 : 0;
      latest[sw] = std::max(latest[sw], joins ? place : 0);
    }
  }
  joining_.resize(count);
}

/// Counts the switch as a possible next hop for neighbours that could join over it.
void LayerPaths::count_alternative(std::uint32_t sw) {
  const std::uint32_t* const head = arcs_.head.data();
  const std::uint32_t* const back = ranking_->back.data();
  const std::uint32_t* const hops = hops_.data();
  std::uint32_t* const alternatives = alternatives_.data();
  const std::uint32_t latest = latest_[sw];
  const std::uint32_t end = arcs_.begin[sw + 1];
  for (std::uint32_t out = arcs_.begin[sw]; out < end; ++out)
    alternatives[head[out]] +=
        unsigned{hops[head[out]] == kUnreachable} & unsigned{back[out] < latest};
}

/// Takes as many of the candidates as leave every neighbour a possible next hop.
void LayerPaths::choose(std::uint32_t sw) {
  if (options_[sw] == 1) return take(sw, 0);
  const std::uint32_t* const head = arcs_.head.data();
  const std::uint32_t* const back = ranking_->back.data();
  std::uint32_t* const alternatives = alternatives_.data();
  const std::uint32_t latest = latest_[sw];
  const std::uint32_t end = arcs_.begin[sw + 1];
  std::uint32_t needed = 0;  // the earliest arc taken must not be before this
  for (std::uint32_t out = arcs_.begin[sw]; out < end; ++out) {
    // Joined switches have no count any more.
    const bool last = (alternatives[head[out]] == 1) & (back[out] < latest);
    needed = std::max(needed, last ? back[out] + 1 : 0);
  }
  take(sw, needed);
  const std::uint32_t earliest = earliest_[sw];
  if (earliest == latest) return;
  for (std::uint32_t out = arcs_.begin[sw]; out < end; ++out)
    alternatives[head[out]] -= unsigned{alternatives[head[out]] != 0} &
                               unsigned{back[out] < latest} & unsigned{back[out] >= earliest};
}

void LayerPaths::take(std::uint32_t sw, std::uint32_t needed) {
  const std::uint32_t begin = used_count_;
  std::uint32_t* const used = used_.data();
  std::uint32_t earliest = kAny;
  for (const Candidate& candidate : candidates_of(sw)) {
    if (candidate.place < needed) continue;
    used[used_count_++] = candidate.arc;
    earliest = std::min(earliest, candidate.place);
  }
  earliest_[sw] = earliest;
  members_[member_count_++] = {sw, begin, used_count_};
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
    if (hops_[start] != kUnreachable || tree_[start] == kNoArc) continue;
    for (std::uint32_t at = start; at != destination_ && locked_[at] == kNoArc;) {
      locked_[at] = tree_[at];
      at = arcs_.head[tree_[at]];
      more = true;
    }
  }
  CHECK(more);
  any_locked_ = true;
}

void LayerPaths::fill(HopDag& dag) {
  dag.start(SwitchId(destination_));
  for (const Member& member : members()) {
    dag.add_switch(member.sw, hops_[member.sw]);
    // A handful, ascending: each is inserted at its place.
    channels_.clear();
    for (const std::uint32_t arc : arcs_of(member))
      for (const std::uint32_t channel : arcs_.channels_of(arc)) {
        channels_.emplace_back(channel, arcs_.head[arc]);
        for (std::size_t i = channels_.size() - 1; i > 0; --i) {
          if (channels_.data()[i - 1].first < channel) break;
          std::swap(channels_.data()[i - 1], channels_.data()[i]);
        }
      }
    for (const auto& [channel, to] : channels_) dag.add_next_hop(channel, to);
  }
  dag.finish();
}

}  // namespace weft::nue
