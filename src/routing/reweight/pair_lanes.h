// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The lanes on which the paths between two switches close no cycle, while reweighting moves these
// paths.
//
// A lane has a place for each arc. If the places along all its paths ascend, its dependency graph
// has no cycle: so a move needs no search for cycles, only comparisons along the moved paths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/reweight/arcs.h"
#include "routing/reweight/senders.h"
#include "routing/reweight/tree_moves.h"
#include "routing/shapes/hop_dag.h"

namespace weft::reweight {

class PairLanes {
 public:
  using Mask = std::uint16_t;  // a bit for each lane

  /// `places` has the places of the arcs for each lane. Keeps references to the other arguments.
  PairLanes(const Arcs& arcs, const ArcTurns& turns,
            std::span<const std::vector<std::uint32_t>> places);

  const Arcs& arcs() const { return arcs_; }
  /// Lanes on which the path from `sw` to `destination` ascends.
  Mask of_path(std::uint32_t sw, std::uint32_t destination) const {
    return paths_[std::size_t{destination} * arcs_.switches() + sw];
  }
  std::span<const Mask> row(std::uint32_t destination) const {
    return std::span(paths_).subspan(std::size_t{destination} * arcs_.switches(), arcs_.switches());
  }
  /// The lanes of a path that begins with the arcs `arc` and `next`. `rest` are the lanes of the
  /// path from `next` on.
  Mask of_turn(std::uint32_t arc, std::uint32_t next, Mask rest) const {
    return static_cast<Mask>(by_turn_[turns_.of(arc, next)] & rest);
  }
  /// All lanes: a path without a turn may use each of them.
  Mask all() const { return all_; }
  /// Whether two switches exchange packets: at least one of them has hosts.
  bool exchange(std::uint32_t a, std::uint32_t b) const {
    return arcs_.hosts[a] > 0 || arcs_.hosts[b] > 0;
  }

  /// Sets the lanes of all paths toward the destination of the DAG. Calls for different
  /// destinations may run at once.
  void read(const HopDag& dag, std::span<const std::uint8_t> tree);
  /// True if each switch that exchanges packets with the destination has a common lane for both
  /// directions. `row` has the lanes of the path from each switch to the destination; 0: no path.
  bool fits(std::uint32_t destination, std::span<const Mask> row) const;
  void set_row(std::uint32_t destination, std::span<const Mask> row);

 private:
  const Arcs& arcs_;
  const ArcTurns& turns_;
  const Mask all_;
  std::vector<Mask> by_turn_;  // the lanes on which the turn ascends
  std::vector<Mask> paths_;    // row by destination
};

/// The lanes of the paths of one tree while it changes.
class TreeLanes {
 public:
  /// Keeps a reference to the senders, which must be those of the tree before and after each move.
  explicit TreeLanes(const Senders& senders) : senders_(senders) {}

  /// Keeps references to `lanes` and `tree` until the next call.
  void begin(const PairLanes& lanes, std::uint32_t destination, std::span<const std::uint8_t> tree);
  /// True if the next hop of the switch may change to this arc. All paths over the switch change
  /// too.
  bool may_move(std::uint32_t sw, std::uint32_t arc);
  /// Call this after the tree was changed to the new arc of the switch.
  void moved(std::uint32_t sw);
  std::span<const PairLanes::Mask> row() const { return row_; }

 private:
  PairLanes::Mask after(std::uint32_t arc) const;
  bool allows(std::uint32_t sw, std::uint32_t arc, PairLanes::Mask mask) const;
  void set(std::uint32_t sw, PairLanes::Mask mask);

  const PairLanes* lanes_ = nullptr;
  const Senders& senders_;
  std::uint32_t destination_ = 0;
  std::span<const std::uint8_t> tree_;
  std::vector<PairLanes::Mask> row_;  // by switch
};

}  // namespace weft::reweight
