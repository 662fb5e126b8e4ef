#include "routing/nue/ways.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace weft::nue {

Ways::Ways(const Arcs& arcs, const Ranking& ranking)
    : arcs_(arcs),
      order_(ranking.order),
      back_(ranking.back),
      ranking_(ranking),
      hops_(arcs.switches),
      earliest_(arcs.switches),
      locked_(arcs.switches, kNoArc),
      options_(arcs.switches),
      latest_(arcs.switches),
      candidates_(arcs.count()),
      hopes_(arcs.switches) {}

void Ways::grow(std::uint32_t destination) {
  destination_ = destination;
  if (any_locked_) std::ranges::fill(locked_, kNoArc);
  any_locked_ = false;
  while (!grow_once()) lay_paths();
}

/// True where every switch that is connected has joined.
bool Ways::grow_once() {
  members_.clear();
  used_.clear();
  std::ranges::fill(hops_, kFar);
  std::ranges::fill(hopes_, 0);
  hops_[destination_] = 0;
  earliest_[destination_] = kAny;
  joining_.assign(1, destination_);
  const std::size_t others = arcs_.part_size[destination_] - 1;
  for (std::uint32_t level = 1; !joining_.empty() && members_.size() < others; ++level) {
    join(level);
    if (members_.size() + joining_.size() == others) {
      for (const std::uint32_t sw : joining_) take(sw, 0);
      return true;
    }
    for (const std::uint32_t sw : joining_) hope(sw);
    for (const std::uint32_t sw : joining_) choose(sw);
  }
  return members_.size() == others;
}

/// Finds who joins by the switches of the level before, with what arcs.
void Ways::join(std::uint32_t level) {
  std::swap(before_, joining_);
  joining_.clear();
  for (const std::uint32_t to : before_) {
    const std::uint32_t earliest = earliest_[to];
    for (std::uint32_t out = arcs_.begin[to]; out < arcs_.begin[to + 1]; ++out) {
      const std::uint32_t sw = arcs_.head[out];
      const std::uint32_t place = back_[out];
      if (hops_[sw] < level || place >= earliest) continue;
      const std::uint32_t arc = arcs_.reverse[out];
      if (any_locked_ && locked_[sw] != kNoArc && locked_[sw] != arc) continue;
      if (hops_[sw] == kFar) {
        hops_[sw] = level;
        options_[sw] = 0;
        latest_[sw] = 0;
        joining_.push_back(sw);
      }
      candidates_[arcs_.begin[sw] + options_[sw]++] = {place, arc};
      latest_[sw] = std::max(latest_[sw], place);
    }
  }
}

/// Counts the switch as a hope for those that could join by it.
void Ways::hope(std::uint32_t sw) {
  const std::uint32_t latest = latest_[sw];
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out)
    if (const std::uint32_t from = arcs_.head[out]; hops_[from] == kFar && back_[out] < latest)
      ++hopes_[from];
}

/// Takes as many of the candidates as leave nobody without hope.
void Ways::choose(std::uint32_t sw) {
  const std::uint32_t latest = latest_[sw];
  std::uint32_t needed = 0;  // the earliest arc taken must not be before this
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out) {
    const std::uint32_t from = arcs_.head[out];
    const std::uint32_t place = back_[out];
    if (hops_[from] == kFar && place < latest && hopes_[from] == 1)
      needed = std::max(needed, place + 1);
  }
  take(sw, needed);
  const std::uint32_t earliest = earliest_[sw];
  for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out) {
    const std::uint32_t from = arcs_.head[out];
    const std::uint32_t place = back_[out];
    if (hops_[from] == kFar && place < latest && place >= earliest) --hopes_[from];
  }
}

void Ways::take(std::uint32_t sw, std::uint32_t needed) {
  Member member{sw, static_cast<std::uint32_t>(used_.size()), 0};
  std::uint32_t earliest = kAny;
  for (const Candidate& candidate : candidates_of(sw)) {
    if (candidate.place < needed) continue;
    used_.push_back(candidate.arc);
    earliest = std::min(earliest, candidate.place);
  }
  earliest_[sw] = earliest;
  member.end = static_cast<std::uint32_t>(used_.size());
  members_.push_back(member);
}

/// Locks the switches on the paths of those that could not join to one tree.
void Ways::lay_paths() {
  tree_.assign(arcs_.switches, kNoArc);
  for (std::size_t i = ranking_.arcs.size(); i-- > 0;) {
    const std::uint32_t arc = ranking_.arcs[i];
    const std::uint32_t from = arcs_.tail[arc];
    const std::uint32_t to = arcs_.head[arc];
    if (from == destination_ || tree_[from] != kNoArc) continue;
    if (to == destination_ || tree_[to] != kNoArc) tree_[from] = arc;
  }
  bool more = false;
  for (std::uint32_t start = 0; start < arcs_.switches; ++start) {
    if (hops_[start] != kFar || tree_[start] == kNoArc) continue;
    for (std::uint32_t at = start; at != destination_ && locked_[at] == kNoArc;) {
      locked_[at] = tree_[at];
      at = arcs_.head[tree_[at]];
      more = true;
    }
  }
  CHECK(more);
  any_locked_ = true;
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
    if (channels.size() > 1) std::ranges::sort(channels);
    for (const auto& [channel, to] : channels) dag.add_way(channel, to);
  }
  dag.finish();
}

}  // namespace weft::nue
