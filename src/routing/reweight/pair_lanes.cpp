// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/pair_lanes.h"

#include <algorithm>
#include <utility>

namespace weft::reweight {

PairLanes::PairLanes(const Arcs& arcs, std::vector<std::vector<std::uint32_t>> places)
    : arcs_(arcs),
      places_(std::move(places)),
      paths_(std::size_t{arcs.switches()} * arcs.switches(), 0) {}

PairLanes::Mask PairLanes::of_turn(std::uint32_t arc, std::uint32_t next, Mask rest) const {
  unsigned mask = 0;
  for (std::size_t lane = 0; lane < places_.size(); ++lane)
    mask |= (places_[lane][arc] < places_[lane][next] ? 1u : 0u) << lane;
  return static_cast<Mask>(mask & rest);
}

std::vector<PairLanes::Mask> PairLanes::masks(const HopDag& dag,
                                              std::span<const std::uint8_t> tree) const {
  std::vector<Mask> row(arcs_.switches(), 0);
  for (const HopDag::Member& member : dag.members()) {
    const std::uint32_t arc = arc_of(arcs_, tree, member.sw);
    const std::uint32_t to = arcs_.head[arc];
    row[member.sw] =
        to == dag.destination().value() ? all() : of_turn(arc, arc_of(arcs_, tree, to), row[to]);
  }
  return row;
}

bool PairLanes::fits(std::uint32_t destination, std::span<const Mask> row) const {
  for (std::uint32_t s = 0; s < row.size(); ++s)
    if (row[s] != 0 && exchange(s, destination) && (row[s] & of_path(destination, s)) == 0)
      return false;
  return true;
}

void PairLanes::set_row(std::uint32_t destination, std::span<const Mask> row) {
  std::ranges::copy(row, &paths_[std::size_t{destination} * arcs_.switches()]);
}

void TreeLanes::begin(const HopDag& dag, std::span<const std::uint8_t> tree) {
  const Arcs& arcs = lanes_.arcs();
  destination_ = dag.destination().value();
  tree_ = tree;
  row_.assign(lanes_.row(destination_).begin(), lanes_.row(destination_).end());
  behind_.resize(arcs.switches());
  for (auto& behind : behind_) behind.clear();
  next_.assign(arcs.switches(), 0);
  for (const HopDag::Member& member : dag.members()) {
    next_[member.sw] = arcs.head[arc_of(arcs, tree, member.sw)];
    behind_[next_[member.sw]].push_back(member.sw);
  }
}

/// The lanes of the path that begins with this arc.
PairLanes::Mask TreeLanes::after(std::uint32_t arc) const {
  const std::uint32_t to = lanes_.arcs().head[arc];
  if (to == destination_) return lanes_.all();
  return lanes_.of_turn(arc, arc_of(lanes_.arcs(), tree_, to), row_[to]);
}

bool TreeLanes::allows(std::uint32_t sw, std::uint32_t arc, PairLanes::Mask mask) const {
  if (lanes_.exchange(sw, destination_) && (mask & lanes_.of_path(destination_, sw)) == 0)
    return false;
  return std::ranges::all_of(behind_[sw], [&](std::uint32_t s) {
    const std::uint32_t own = arc_of(lanes_.arcs(), tree_, s);
    return allows(s, own, lanes_.of_turn(own, arc, mask));
  });
}

bool TreeLanes::may_move(std::uint32_t sw, std::uint32_t arc) {
  return allows(sw, arc, after(arc));
}

void TreeLanes::set(std::uint32_t sw, PairLanes::Mask mask) {
  row_[sw] = mask;
  const std::uint32_t arc = arc_of(lanes_.arcs(), tree_, sw);
  for (const std::uint32_t s : behind_[sw])
    set(s, lanes_.of_turn(arc_of(lanes_.arcs(), tree_, s), arc, mask));
}

void TreeLanes::moved(std::uint32_t sw) {
  const std::uint32_t arc = arc_of(lanes_.arcs(), tree_, sw);
  std::erase(behind_[next_[sw]], sw);
  next_[sw] = lanes_.arcs().head[arc];
  behind_[next_[sw]].push_back(sw);
  set(sw, after(arc));
}

}  // namespace weft::reweight
