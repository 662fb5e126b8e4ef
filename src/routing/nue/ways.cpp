#include "routing/nue/ways.h"

#include <algorithm>

#include "base/check.h"

namespace weft::nue {

Ways::Ways(const Arcs& arcs, const Escape& escape, const Order& order, const Order& back)
    : arcs_(arcs),
      escape_(escape),
      order_(order),
      back_(back),
      hops_(arcs.switches),
      shortest_(arcs.switches),
      earliest_(arcs.switches),
      locked_(arcs.switches),
      hopes_(arcs.switches),
      tree_(arcs.switches) {}

void Ways::grow(std::uint32_t destination) {
  destination_ = destination;
  search_shortest();
  std::ranges::fill(locked_, kNoArc);
  while (!grow_once()) lay_escape();
}

void Ways::search_shortest() {
  std::ranges::fill(shortest_, kFar);
  shortest_arcs_ = 0;
  by_distance_.assign(1, destination_);
  shortest_[destination_] = 0;
  for (std::size_t i = 0; i < by_distance_.size(); ++i) {
    const std::uint32_t at = by_distance_[i];
    for (std::uint32_t a = arcs_.begin[at]; a < arcs_.begin[at + 1]; ++a) {
      const std::uint32_t to = arcs_.head[a];
      if (shortest_[to] == kFar) {
        shortest_[to] = shortest_[at] + 1;
        by_distance_.push_back(to);
      } else if (shortest_[to] < shortest_[at]) {
        ++shortest_arcs_;
      }
    }
  }
}

/// True where every switch that is connected has joined.
bool Ways::grow_once() {
  members_.clear();
  used_.clear();
  std::ranges::fill(hops_, kFar);
  hops_[destination_] = 0;
  earliest_[destination_] = kAny;
  std::size_t level_begin = 0;
  joining_.assign(1, destination_);
  for (std::uint32_t level = 1; !joining_.empty(); ++level) {
    join(level);
    for (std::uint32_t i = 0; i < joining_.size(); ++i) choose(i);
    level_begin = members_.size();
  }
  return level_begin + 1 == by_distance_.size();
}

/// Finds who joins by the switches of the level before, with what arcs.
void Ways::join(std::uint32_t level) {
  std::swap(before_, joining_);
  joining_.clear();
  std::ranges::fill(hopes_, 0);
  for (const std::uint32_t to : before_) {
    for (std::uint32_t out = arcs_.begin[to]; out < arcs_.begin[to + 1]; ++out) {
      const std::uint32_t sw = arcs_.head[out];
      if (hops_[sw] != kFar || back_[out] >= earliest_[to]) continue;
      if (locked_[sw] != kNoArc && locked_[sw] != arcs_.reverse[out]) continue;
      hops_[sw] = level;
      joining_.push_back(sw);
    }
  }
  std::ranges::sort(joining_);
  candidates_.clear();
  candidates_begin_.assign(1, 0);
  for (const std::uint32_t sw : joining_) {
    const std::size_t first = candidates_.size();
    for (std::uint32_t arc = arcs_.begin[sw]; arc < arcs_.begin[sw + 1]; ++arc) {
      const std::uint32_t to = arcs_.head[arc];
      if (hops_[to] + 1 != level || order_[arc] >= earliest_[to]) continue;
      if (locked_[sw] != kNoArc && locked_[sw] != arc) continue;
      candidates_.push_back({order_[arc], arc});
    }
    std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.place > b.place; });
    candidates_begin_.push_back(static_cast<std::uint32_t>(candidates_.size()));
    hope(sw, candidates_[first].place);
  }
}

/// Counts the switch as a hope for those that could join by it.
void Ways::hope(std::uint32_t sw, std::uint32_t latest) {
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out)
    if (const std::uint32_t from = arcs_.head[out]; hops_[from] == kFar && back_[out] < latest)
      ++hopes_[from];
}

/// Takes as many of the candidates as leave nobody without hope.
void Ways::choose(std::uint32_t index) {
  const std::uint32_t sw = joining_[index];
  const std::span candidates = std::span(candidates_)
                                   .subspan(candidates_begin_[index], candidates_begin_[index + 1] -
                                                                          candidates_begin_[index]);
  const std::uint32_t latest = candidates.front().place;
  std::uint32_t needed = 0;  // the earliest arc taken must be behind this
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out) {
    const std::uint32_t from = arcs_.head[out];
    const std::uint32_t place = back_[out];
    if (hops_[from] == kFar && place < latest && hopes_[from] == 1)
      needed = std::max(needed, place + 1);
  }
  Member member{sw, static_cast<std::uint32_t>(used_.size()), 0};
  for (const Candidate& candidate : candidates) {
    if (candidate.place < needed) break;
    used_.push_back(candidate.arc);
    earliest_[sw] = candidate.place;
  }
  member.end = static_cast<std::uint32_t>(used_.size());
  std::sort(used_.begin() + member.begin, used_.end());
  members_.push_back(member);
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out) {
    const std::uint32_t from = arcs_.head[out];
    const std::uint32_t place = back_[out];
    if (hops_[from] == kFar && place < latest && place >= earliest_[sw]) --hopes_[from];
  }
}

/// Locks the switches on the escape paths of those that could not join.
void Ways::lay_escape() {
  std::ranges::fill(tree_, kNoArc);
  for (std::uint32_t at = destination_; escape_.up[at] != kNoArc;) {
    const std::uint32_t up = escape_.up[at];
    at = arcs_.head[up];
    tree_[at] = arcs_.reverse[up];
  }
  bool more = false;
  for (const std::uint32_t start : by_distance_) {
    if (hops_[start] != kFar) continue;
    for (std::uint32_t at = start; at != destination_ && locked_[at] == kNoArc;) {
      locked_[at] = tree_[at] != kNoArc ? tree_[at] : escape_.up[at];
      at = arcs_.head[locked_[at]];
      more = true;
    }
  }
  CHECK(more);
}

std::uint64_t Ways::detoured(std::span<const std::uint32_t> weight) const {
  std::uint64_t sum = 0;
  for (const std::uint32_t sw : by_distance_)
    if (hops_[sw] > shortest_[sw]) sum += weight[sw];
  return sum;
}

void Ways::fill(HopDag& dag) const {
  dag.start(SwitchId(destination_));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> channels;  // channel, where it leads
  for (const Member& member : members_) {
    dag.add_switch(member.sw, hops_[member.sw]);
    channels.clear();
    for (const std::uint32_t arc : arcs_of(member))
      for (const std::uint32_t channel : arcs_.channels_of(arc))
        channels.emplace_back(channel, arcs_.head[arc]);
    std::ranges::sort(channels);
    for (const auto& [channel, to] : channels) dag.add_way(channel, to);
  }
  dag.finish();
}

}  // namespace weft::nue
