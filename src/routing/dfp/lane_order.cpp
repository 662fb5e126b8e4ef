// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/dfp/lane_order.h"

#include <algorithm>

#include "base/check.h"

namespace weft::dfp {

LaneOrder::LaneOrder(const Turns& turns, unsigned lanes, std::vector<std::uint16_t> held,
                     std::uint64_t visits_max)
    : turns_(turns),
      lanes_(lanes),
      held_(std::move(held)),
      visits_left_(visits_max),
      place_(std::size_t{turns.channel_count()} * lanes),
      seen_(place_.size(), 0) {
  std::vector<std::uint32_t> waiting(place_.size(), 0);
  for (Vertex v = 0; v < place_.size(); ++v) each_out(v, [&](Vertex next) { ++waiting[next]; });
  std::vector<Vertex> order;
  for (Vertex v = 0; v < place_.size(); ++v)
    if (waiting[v] == 0) order.push_back(v);
  for (std::size_t head = 0; head < order.size(); ++head)
    each_out(order[head], [&](Vertex next) {
      if (--waiting[next] == 0) order.push_back(next);
    });
  CHECK(order.size() == place_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
}

bool LaneOrder::has(Vertex from, Vertex to) const {
  return (held_[turns_.turn(from / lanes_, to / lanes_)] >> (from % lanes_ * lanes_ + to % lanes_) &
          1) != 0;
}

void LaneOrder::flip(Vertex from, Vertex to) {
  held_[turns_.turn(from / lanes_, to / lanes_)] ^=
      static_cast<std::uint16_t>(1u << (from % lanes_ * lanes_ + to % lanes_));
}

template <class Body>
void LaneOrder::each_out(Vertex from, const Body& body) const {
  const std::uint32_t in = from / lanes_;
  for (std::uint32_t i = 0; i < turns_.outs(in); ++i) {
    const std::uint32_t out = turns_.first_out(in) + i;
    if (held_[turns_.turn(in, out)] == 0) continue;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      if (has(from, out * lanes_ + lane)) body(out * lanes_ + lane);
  }
}

template <class Body>
void LaneOrder::each_in(Vertex to, const Body& body) const {
  // Channels to the switch at the tail of `to` are the reverses of its outgoing channels.
  const std::uint32_t back = turns_.reverse(to / lanes_);
  for (std::uint32_t i = 0; i < turns_.outs(back); ++i) {
    const std::uint32_t in = turns_.reverse(turns_.first_out(back) + i);
    if (held_[turns_.turn(in, to / lanes_)] == 0) continue;
    for (unsigned lane = 0; lane < lanes_; ++lane)
      if (has(in * lanes_ + lane, to)) body(in * lanes_ + lane);
  }
}

bool LaneOrder::add_paths(std::span<const std::vector<Vertex>> paths) {
  added_.clear();
  for (const auto& path : paths) {
    if (add_path(path)) continue;
    undo();
    return false;
  }
  return true;
}

bool LaneOrder::add_path(std::span<const Vertex> path) {
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (has(path[i], path[i + 1])) continue;
    if (place_[path[i]] >= place_[path[i + 1]] && !restore_order(path[i], path[i + 1]))
      return false;
    flip(path[i], path[i + 1]);
    added_.push_back({path[i], path[i + 1]});
  }
  return true;
}

void LaneOrder::undo() {
  for (const Edge& edge : added_) flip(edge.from, edge.to);
  added_.clear();
}

/// Changes the order so that `to` follows `from`. Returns false if `to` must precede `from`, or if
/// the limit of visits is reached.
bool LaneOrder::restore_order(Vertex from, Vertex to) {
  if (visits_left_ == 0 || from == to) return false;
  const auto search = [&](Vertex start, const auto& each_next, const auto& is_between) {
    std::vector<Vertex> found{start};
    seen_[start] = 1;
    for (std::size_t head = 0; head < found.size(); ++head)
      each_next(found[head], [&](Vertex next) {
        if (seen_[next] != 0 || !is_between(next)) return;
        seen_[next] = 1;
        found.push_back(next);
      });
    for (const Vertex v : found) seen_[v] = 0;
    return found;
  };
  std::vector<Vertex> ahead = search(
      to, [&](Vertex v, const auto& body) { each_out(v, body); },
      [&](Vertex v) { return place_[v] <= place_[from]; });
  visits_left_ -= std::min<std::uint64_t>(visits_left_, ahead.size());
  if (std::ranges::find(ahead, from) != ahead.end()) return false;
  std::vector<Vertex> behind = search(
      from, [&](Vertex v, const auto& body) { each_in(v, body); },
      [&](Vertex v) { return place_[v] >= place_[to]; });
  visits_left_ -= std::min<std::uint64_t>(visits_left_, behind.size());
  const auto by_place = [&](Vertex v) { return place_[v]; };
  std::ranges::sort(behind, {}, by_place);
  std::ranges::sort(ahead, {}, by_place);
  behind.insert(behind.end(), ahead.begin(), ahead.end());
  std::vector<std::uint32_t> places;
  for (const Vertex v : behind) places.push_back(place_[v]);
  std::ranges::sort(places);
  for (std::size_t i = 0; i < behind.size(); ++i) place_[behind[i]] = places[i];
  return true;
}

}  // namespace weft::dfp
