// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/lane_paths.h"

#include <algorithm>

#include "base/check.h"

namespace weft::nue {

LanePaths::LanePaths(const Arcs& arcs, const LaneOrders& orders, const PairLanes& pairs,
                     const Escape& escape)
    : arcs_(arcs),
      orders_(orders),
      pairs_(pairs),
      escape_(escape),
      lanes_(orders.stride),
      hops_(arcs.switches),
      earliest_(arcs.switches * lanes_),
      locked_(arcs.switches, kNoArc),
      options_(arcs.switches),
      latest_(arcs.switches * lanes_),
      candidates_(arcs.count()),
      bounds_(arcs.count() * lanes_),
      alternatives_(arcs.switches),
      filler_(arcs) {}

void LanePaths::grow(std::uint32_t destination) {
  lane_ = std::span(pairs_.lane).subspan(pairs_.at(destination, 0), arcs_.switches);
  destination_ = destination;
  if (any_locked_) std::ranges::fill(locked_, kNoArc);
  any_locked_ = false;
  while (!grow_once()) lock_paths();
}

/// Connects the switches level by level. Returns true if every connected switch has joined.
bool LanePaths::grow_once() {
  members_.clear();
  used_.clear();
  std::ranges::fill(hops_, kUnreachable);
  std::ranges::fill(alternatives_, 0);
  hops_[destination_] = 0;
  std::fill_n(earliest_.begin() + static_cast<std::ptrdiff_t>(destination_ * lanes_), lanes_,
              kArrived);
  joining_.assign(1, destination_);
  const std::size_t others = arcs_.part_size[destination_] - 1;
  for (std::uint32_t level = 1; !joining_.empty() && members_.size() < others; ++level) {
    join(level);
    for (const std::uint32_t sw : joining_) count_alternative(sw);
    for (const std::uint32_t sw : joining_) choose(sw);
  }
  return members_.size() == others;
}

/// Finds the switches that can join with arcs to switches of the previous level, and these arcs.
void LanePaths::join(std::uint32_t level) {
  std::swap(before_, joining_);
  joining_.clear();
  for (const std::uint32_t to : before_) {
    const Limit* const earliest = earliest_.data() + to * lanes_;
    for (std::uint32_t out = arcs_.begin[to]; out < arcs_.begin[to + 1]; ++out) {
      const std::uint32_t sw = arcs_.head[out];
      if (hops_[sw] < level) continue;
      const std::uint32_t arc = arcs_.reverse[out];
      if (orders_.number_of(arc)[lane_[sw]] >= earliest[lane_[sw]]) continue;
      if (any_locked_ && locked_[sw] != kNoArc && locked_[sw] != arc) continue;
      Limit* const latest = latest_.data() + sw * lanes_;
      if (hops_[sw] == kUnreachable) {
        hops_[sw] = level;
        options_[sw] = 0;
        alternatives_[sw] = 0;
        std::fill_n(latest, lanes_, kClosed);
        joining_.push_back(sw);
      }
      Limit* const bound = bounds(sw, options_[sw]);
      candidates_[arcs_.begin[sw] + options_[sw]++] = {arc, true};
      orders_.bound(arc, earliest, bound);
      for (std::size_t l = 0; l < lanes_; ++l) latest[l] = std::max(latest[l], bound[l]);
    }
  }
}

/// Counts the switch as a possible next hop for neighbors that could join over it.
void LanePaths::count_alternative(std::uint32_t sw) {
  const Limit* const latest = latest_.data() + sw * lanes_;
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out) {
    const std::uint32_t from = arcs_.head[out];
    const std::uint8_t lane = lane_[from];
    alternatives_[from] += unsigned{hops_[from] == kUnreachable} &
                           unsigned{orders_.number_of(arcs_.reverse[out])[lane] < latest[lane]};
  }
}

/// Takes as many candidates as possible such that every neighbor keeps a possible next hop. For a
/// settled pair, as_settled() selects the arcs.
void LanePaths::choose(std::uint32_t sw) {
  if (options_[sw] == 1) return take(sw);
  if (as_settled(sw)) return update_alternatives(sw);
  needs_.assign(lanes_, {});
  const Limit* const latest = latest_.data() + sw * lanes_;
  bool any = false;
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out) {
    const std::uint32_t from = arcs_.head[out];
    const std::uint8_t lane = lane_[from];
    const Limit number = orders_.number_of(arcs_.reverse[out])[lane];
    if (alternatives_[from] != 1 || number >= latest[lane]) continue;
    needs_[lane].limit = std::max(needs_[lane].limit, static_cast<Limit>(number + 1));
    ++needs_[lane].switches;
    any = true;
  }
  if (any) select(sw);
  update_alternatives(sw);
}

/// Takes the selected arcs. Subtracts the switch from the possible next hops of the neighbors that
/// the selection excludes.
void LanePaths::update_alternatives(std::uint32_t sw) {
  take(sw);
  const Limit* const latest = latest_.data() + sw * lanes_;
  const Limit* const earliest = earliest_.data() + sw * lanes_;
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out) {
    const std::uint32_t from = arcs_.head[out];
    const std::uint8_t lane = lane_[from];
    const Limit number = orders_.number_of(arcs_.reverse[out])[lane];
    alternatives_[from] -= unsigned{alternatives_[from] != 0} & unsigned{number < latest[lane]} &
                           unsigned{number >= earliest[lane]};
  }
}

/// For a settled pair, selects the arcs with limits at least as high as when the pair was settled.
/// Returns false if the pair is not settled or there is no such arc.
bool LanePaths::as_settled(std::uint32_t sw) {
  const Limit* const settled = pairs_.limit(destination_, sw);
  if (settled[lane_[sw]] == kClosed) return false;
  bool any = false;
  for (std::uint32_t i = 0; i < options_[sw]; ++i) {
    const Limit* const bound = bounds(sw, i);
    bool serves = true;
    for (std::size_t l = 0; l < lanes_; ++l) serves &= bound[l] >= settled[l];
    candidates_[arcs_.begin[sw] + i].taken = serves;
    any |= serves;
  }
  if (any) return true;
  for (std::uint32_t i = 0; i < options_[sw]; ++i) candidates_[arcs_.begin[sw] + i].taken = true;
  return false;
}

/// Keeps the candidates with limits that suffice for the neighbors without another possible next
/// hop. If no candidate suffices on all lanes, the lanes with most such neighbors have precedence.
void LanePaths::select(std::uint32_t sw) {
  for (unsigned l = 0; l < lanes_; ++l) needs_[l].lane = l;
  std::ranges::stable_sort(needs_, std::ranges::greater{}, &Need::switches);
  for (const Need& need : needs_) {
    if (need.switches == 0) break;
    const auto serves = [&](std::uint32_t i) {
      return candidates_[arcs_.begin[sw] + i].taken && bounds(sw, i)[need.lane] >= need.limit;
    };
    bool any = false;
    for (std::uint32_t i = 0; i < options_[sw] && !any; ++i) any = serves(i);
    if (!any) continue;
    for (std::uint32_t i = 0; i < options_[sw]; ++i)
      candidates_[arcs_.begin[sw] + i].taken = serves(i);
  }
}

void LanePaths::take(std::uint32_t sw) {
  Member member{sw, static_cast<std::uint32_t>(used_.size()), 0};
  Limit* const earliest = earliest_.data() + sw * lanes_;
  std::fill_n(earliest, lanes_, kArrived);
  for (std::uint32_t i = 0; i < options_[sw]; ++i) {
    const Candidate& candidate = candidates_[arcs_.begin[sw] + i];
    if (!candidate.taken) continue;
    used_.push_back(candidate.arc);
    const Limit* const bound = bounds(sw, i);
    for (std::size_t l = 0; l < lanes_; ++l) earliest[l] = std::min(earliest[l], bound[l]);
  }
  member.end = static_cast<std::uint32_t>(used_.size());
  members_.push_back(member);
}

/// Locks the switches on the escape paths of the switches that could not join.
void LanePaths::lock_paths() {
  // The tree toward the destination: up arcs, but down arcs at the switches above the destination.
  tree_ = escape_.up;
  for (std::uint32_t at = destination_; escape_.up[at] != kNoArc;) {
    const std::uint32_t parent = arcs_.head[escape_.up[at]];
    tree_[parent] = arcs_.reverse[escape_.up[at]];
    at = parent;
  }
  tree_[destination_] = kNoArc;
  const auto is_connected = [&](std::uint32_t at) {
    while (at != destination_ && tree_[at] != kNoArc) at = arcs_.head[tree_[at]];
    return at == destination_;
  };
  bool more = false;
  for (std::uint32_t start = 0; start < arcs_.switches; ++start) {
    if (hops_[start] != kUnreachable || !is_connected(start)) continue;
    for (std::uint32_t at = start; at != destination_ && locked_[at] == kNoArc;
         at = arcs_.head[tree_[at]]) {
      locked_[at] = tree_[at];
      more = true;
    }
  }
  CHECK(more);
  any_locked_ = true;
}

void LanePaths::fill(HopDag& dag) {
  dag.start(SwitchId(destination_));
  for (const Member& member : members_)
    filler_.add(member.sw, hops_[member.sw], arcs_of(member), dag);
  dag.finish();
}

}  // namespace weft::nue
