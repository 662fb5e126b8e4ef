// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/lane_turns.h"

#include <queue>
#include <utility>

namespace weft::reweight {
namespace {

/// A number without evident relation to others, as the rank of an arc among arcs without an order.
std::uint64_t random_rank(std::uint32_t arc, std::uint32_t seed) {
  std::uint64_t mixed = (std::uint64_t{arc} << 32 | seed) * 0x9E3779B97F4A7C15u;
  mixed = (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9u;
  return mixed ^ (mixed >> 32);
}

}  // namespace

void LaneTurns::add(const HopDag& dag, std::span<const std::uint8_t> tree,
                    std::span<const PairLanes::Mask> lane) {
  const std::uint32_t destination = dag.destination().value();
  through_.assign(lane.begin(), lane.end());
  const auto members = dag.members();
  for (std::size_t i = members.size(); i-- > 0;) {
    const std::uint32_t arc = arc_of(arcs_, tree, members[i].sw);
    const std::uint32_t to = arcs_.head[arc];
    if (to == destination) continue;
    through_[to] |= through_[members[i].sw];
    lanes_[turns_.of(arc, arc_of(arcs_, tree, to))] |= through_[members[i].sw];
  }
}

std::vector<std::uint32_t> LaneTurns::places(unsigned lane, std::uint32_t seed) const {
  const auto each_out = [&](std::uint32_t in, const auto& body) {
    turns_.each(in, [&](std::size_t turn, std::uint32_t out) {
      if ((lanes_[turn] >> lane & 1) != 0) body(out);
    });
  };
  std::vector<std::uint32_t> waiting(arcs_.count(), 0);
  for (std::uint32_t a = 0; a < arcs_.count(); ++a)
    each_out(a, [&](std::uint32_t out) { ++waiting[out]; });
  std::priority_queue<std::pair<std::uint64_t, std::uint32_t>> ready;
  for (std::uint32_t a = 0; a < arcs_.count(); ++a)
    if (waiting[a] == 0) ready.emplace(random_rank(a, seed), a);
  std::vector<std::uint32_t> place(arcs_.count());
  std::uint32_t count = 0;
  for (; !ready.empty(); ++count) {
    const std::uint32_t arc = ready.top().second;
    ready.pop();
    place[arc] = count;
    each_out(arc, [&](std::uint32_t out) {
      if (--waiting[out] == 0) ready.emplace(random_rank(out, seed), out);
    });
  }
  if (count < arcs_.count()) place.clear();
  return place;
}

}  // namespace weft::reweight
