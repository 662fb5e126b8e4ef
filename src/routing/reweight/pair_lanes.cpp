// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/reweight/pair_lanes.h"

#include <algorithm>

namespace weft::reweight {

PairLanes::PairLanes(const Arcs& arcs, const ArcTurns& turns,
                     std::span<const std::vector<std::uint32_t>> places)
    : arcs_(arcs),
      turns_(turns),
      all_(static_cast<Mask>((1u << places.size()) - 1)),
      by_turn_(turns.count(), 0),
      paths_(std::size_t{arcs.switches()} * arcs.switches(), 0) {
  for (std::size_t lane = 0; lane < places.size(); ++lane) {
    const std::span<const std::uint32_t> place = places[lane];
    for (std::uint32_t in = 0; in < arcs.count(); ++in)
      turns.each(in, [&](std::size_t turn, std::uint32_t out) {
        by_turn_[turn] |= static_cast<Mask>((place[in] < place[out] ? 1u : 0u) << lane);
      });
  }
}

void PairLanes::read(const HopDag& dag, std::span<const std::uint8_t> tree) {
  const std::uint32_t destination = dag.destination().value();
  Mask* const row = &paths_[std::size_t{destination} * arcs_.switches()];
  for (const HopDag::Member& member : dag.members()) {
    const std::uint32_t arc = arc_of(arcs_, tree, member.sw);
    const std::uint32_t to = arcs_.head[arc];
    row[member.sw] = to == destination ? all() : of_turn(arc, arc_of(arcs_, tree, to), row[to]);
  }
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

void TreeLanes::begin(const PairLanes& lanes, std::uint32_t destination,
                      std::span<const std::uint8_t> tree) {
  lanes_ = &lanes;
  destination_ = destination;
  tree_ = tree;
  row_.assign(lanes.row(destination).begin(), lanes.row(destination).end());
}

/// The lanes of the path that begins with this arc.
PairLanes::Mask TreeLanes::after(std::uint32_t arc) const {
  const std::uint32_t to = lanes_->arcs().head[arc];
  if (to == destination_) return lanes_->all();
  return lanes_->of_turn(arc, arc_of(lanes_->arcs(), tree_, to), row_[to]);
}

bool TreeLanes::allows(std::uint32_t sw, std::uint32_t arc, PairLanes::Mask mask) const {
  if (lanes_->exchange(sw, destination_) && (mask & lanes_->of_path(destination_, sw)) == 0)
    return false;
  return senders_.each(sw, [&](std::uint32_t s) {
    const std::uint32_t own = arc_of(lanes_->arcs(), tree_, s);
    return allows(s, own, lanes_->of_turn(own, arc, mask));
  });
}

bool TreeLanes::may_move(std::uint32_t sw, std::uint32_t arc) {
  return allows(sw, arc, after(arc));
}

void TreeLanes::set(std::uint32_t sw, PairLanes::Mask mask) {
  row_[sw] = mask;
  const std::uint32_t arc = arc_of(lanes_->arcs(), tree_, sw);
  senders_.each(sw, [&](std::uint32_t s) {
    set(s, lanes_->of_turn(arc_of(lanes_->arcs(), tree_, s), arc, mask));
    return true;
  });
}

void TreeLanes::moved(std::uint32_t sw) { set(sw, after(arc_of(lanes_->arcs(), tree_, sw))); }

}  // namespace weft::reweight
