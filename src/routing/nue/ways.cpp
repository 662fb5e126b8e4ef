#include "routing/nue/ways.h"

#include <algorithm>

#include "base/check.h"

namespace weft::nue {

Ways::Ways(const Arcs& arcs)
    : arcs_(arcs),
      hops_(arcs.switches),
      shortest_(arcs.switches),
      earliest_(arcs.switches),
      locked_(arcs.switches),
      hopes_(arcs.switches),
      tree_(arcs.switches) {}

void Ways::grow(const Escape& escape, const Order& order, std::uint32_t destination) {
  destination_ = destination;
  search_shortest();
  std::ranges::fill(locked_, kNoArc);
  while (!grow_once(order)) lay_escape(escape);
}

void Ways::search_shortest() {
  std::ranges::fill(shortest_, kFar);
  by_distance_.assign(1, destination_);
  shortest_[destination_] = 0;
  for (std::size_t i = 0; i < by_distance_.size(); ++i) {
    const std::uint32_t at = by_distance_[i];
    for (std::uint32_t a = arcs_.begin[at]; a < arcs_.begin[at + 1]; ++a) {
      const std::uint32_t to = arcs_.head[a];
      if (shortest_[to] != kFar) continue;
      shortest_[to] = shortest_[at] + 1;
      by_distance_.push_back(to);
    }
  }
}

/// True where every switch that is connected has joined.
bool Ways::grow_once(const Order& order) {
  members_.clear();
  used_.clear();
  std::ranges::fill(hops_, kFar);
  hops_[destination_] = 0;
  earliest_[destination_] = kAny;
  std::size_t level_begin = 0;
  joining_.assign(1, destination_);
  for (std::uint32_t level = 1; !joining_.empty(); ++level) {
    join(order, level);
    for (std::uint32_t i = 0; i < joining_.size(); ++i) choose(order, i);
    level_begin = members_.size();
  }
  return level_begin + 1 == by_distance_.size();
}

/// Finds who joins by the switches of the level before, with what arcs.
void Ways::join(const Order& order, std::uint32_t level) {
  const std::vector<std::uint32_t> before = std::move(joining_);
  joining_.clear();
  std::ranges::fill(hopes_, 0);
  for (const std::uint32_t to : before) {
    for (std::uint32_t out = arcs_.begin[to]; out < arcs_.begin[to + 1]; ++out) {
      const std::uint32_t sw = arcs_.head[out];
      const std::uint32_t arc = arcs_.reverse[out];
      if (hops_[sw] != kFar || order[arc] >= earliest_[to]) continue;
      if (locked_[sw] != kNoArc && locked_[sw] != arc) continue;
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
      if (hops_[to] + 1 != level || order[arc] >= earliest_[to]) continue;
      if (locked_[sw] != kNoArc && locked_[sw] != arc) continue;
      candidates_.push_back({order[arc], arc});
    }
    std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.place > b.place; });
    candidates_begin_.push_back(static_cast<std::uint32_t>(candidates_.size()));
    hope(order, sw, candidates_[first].place);
  }
}

/// Counts the switch as a hope for those that could join by it.
void Ways::hope(const Order& order, std::uint32_t sw, std::uint32_t latest) {
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out)
    if (const std::uint32_t from = arcs_.head[out];
        hops_[from] == kFar && order[arcs_.reverse[out]] < latest)
      ++hopes_[from];
}

/// Takes as many of the candidates as leave nobody without hope.
void Ways::choose(const Order& order, std::uint32_t index) {
  const std::uint32_t sw = joining_[index];
  const std::span candidates = std::span(candidates_)
                                   .subspan(candidates_begin_[index], candidates_begin_[index + 1] -
                                                                          candidates_begin_[index]);
  const std::uint32_t latest = candidates.front().place;
  std::uint32_t needed = 0;  // the earliest arc taken must be behind this
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out) {
    const std::uint32_t from = arcs_.head[out];
    const std::uint32_t place = order[arcs_.reverse[out]];
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
    const std::uint32_t place = order[arcs_.reverse[out]];
    if (hops_[from] == kFar && place < latest && place >= earliest_[sw]) --hopes_[from];
  }
}

/// Locks the switches on the escape paths of those that could not join.
void Ways::lay_escape(const Escape& escape) {
  std::ranges::fill(tree_, kNoArc);
  for (std::uint32_t at = destination_; escape.up[at] != kNoArc;) {
    const std::uint32_t up = escape.up[at];
    at = arcs_.head[up];
    tree_[at] = arcs_.reverse[up];
  }
  bool more = false;
  for (const std::uint32_t start : by_distance_) {
    if (hops_[start] != kFar) continue;
    for (std::uint32_t at = start; at != destination_ && locked_[at] == kNoArc;) {
      locked_[at] = tree_[at] != kNoArc ? tree_[at] : escape.up[at];
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
