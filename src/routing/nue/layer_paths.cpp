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
      onward_(arcs.count() + std::size_t{1}),  // the last element receives uncounted writes
      onward_end_(arcs.switches),
      candidates_(arcs.count()),
      filler_(arcs) {}

void LayerPaths::grow(const Ranking& ranking, std::uint32_t destination) {
  ranking_ = &ranking;
  destination_ = destination;
  if (any_locked_) std::ranges::fill(locked_, kNoArc);
  any_locked_ = false;
  while (!grow_once()) lock_paths();
}

/// Connects the switches level by level. Returns true if every connected switch has joined.
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
    join(level);
    if (joining_.empty()) return false;
    if (member_count_ + joining_.size() == others) {
      for (const std::uint32_t sw : joining_) take(sw, 0);
      return true;
    }
  }
  return true;
}

/// Selects the arcs of the switches in joining_. Replaces joining_ by the switches that can join
/// with arcs to them, and stores these arcs.
void LayerPaths::join(std::uint32_t level) {
  std::swap(before_, joining_);
  joining_.resize(arcs_.switches + std::size_t{1});  // the last element receives uncounted writes
  std::size_t count = 0;
  const Incoming* begin = onward_.data();
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const std::uint32_t sw = before_.data()[i];
    const Incoming* const end = onward_.data() + onward_end_.data()[i];
    if (level > 1) take(sw, needed(sw, {begin, end}));
    count = join_over(sw, {begin, end}, count);
    begin = end;
  }
  for (std::size_t i = 0; i < count; ++i) growth_.data()[joining_.data()[i]].hops = level;
  joining_.resize(count);
}

/// Adds the neighbors that can join with an allowed arc to this switch to joining_. Subtracts the
/// switch from the alternatives of the other neighbors. Returns the new number of joining
/// switches.
std::size_t LayerPaths::join_over(std::uint32_t to, std::span<const Incoming> onward,
                                  std::size_t count) {
  // Local copies, so that stores to memory do not force the compiler to reload the pointers. The
  // functions below use such copies, too.
  const std::uint32_t* const begin = arcs_.begin.data();
  const std::uint32_t* const locked = locked_.data();
  const bool any_locked = any_locked_;
  Growth* const growth = growth_.data();
  Candidate* const candidates = candidates_.data();
  std::uint32_t* const joining = joining_.data();
  const std::uint32_t earliest = earliest_.data()[to];
  // The loop has no branches, because whether a switch can join is unpredictable.
  for (const auto [sw, place, arc] : onward) {
    Growth& of = growth[sw];
    bool joins = place < earliest;
    of.alternatives -= joins ? 0 : 1;
    if (any_locked) joins &= (locked[sw] == kNoArc) | (locked[sw] == arc);
    joining[count] = sw;
    count += unsigned{joins} & unsigned{of.options == 0};
    candidates[begin[sw] + of.options] = {place, arc};
    of.options += joins ? 1 : 0;
    of.latest = std::max(of.latest, joins ? place : 0);
  }
  return count;
}

/// Counts the joining switches as possible next hops for the neighbors that could join over them.
void LayerPaths::count_alternatives() {
  const std::uint32_t* const begin = arcs_.begin.data();
  const Incoming* const incoming = ranking_->incoming.data();
  Growth* const growth = growth_.data();
  Incoming* const onward = onward_.data();
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < joining_.size(); ++i) {
    const std::uint32_t sw = joining_.data()[i];
    const std::uint32_t latest = growth[sw].latest;
    const std::uint32_t end = begin[sw + 1];
    for (std::uint32_t out = begin[sw]; out < end; ++out) {
      Growth& of = growth[incoming[out].tail];
      const std::uint32_t could =
          unsigned{of.hops == kUnreachable} & unsigned{incoming[out].place < latest};
      of.alternatives += could;
      onward[count] = incoming[out];
      count += could;
    }
    onward_end_.data()[i] = count;
  }
}

/// The earliest place of an arc that the switch may take such that every neighbor keeps a possible
/// next hop.
std::uint32_t LayerPaths::needed(std::uint32_t sw, std::span<const Incoming> onward) const {
  const Growth* const growth = growth_.data();
  if (growth[sw].options == 1) return 0;
  std::uint32_t needed = 0;
  for (const Incoming& from : onward) {
    const bool last = growth[from.tail].alternatives == 1;
    needed = std::max(needed, last ? from.place + 1 : 0);
  }
  return needed;
}

/// Takes the candidates with at least this place.
void LayerPaths::take(std::uint32_t sw, std::uint32_t needed) {
  const Candidate* const candidates = candidates_.data() + arcs_.begin.data()[sw];
  const std::uint32_t options = growth_.data()[sw].options;
  std::uint32_t* const used = used_.data();
  std::uint32_t count = used_count_;
  std::uint32_t earliest = kAny;
  // The loop has no branches: an arc that is not taken is written too, and overwritten by the next
  // arc.
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

/// Locks the switches that could not join, and the switches on their paths, to the paths of one
/// tree.
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
  for (const Member& member : members())
    filler_.add(member.sw, hops(member.sw), arcs_of(member), dag);
  dag.finish();
}

}  // namespace weft::nue
