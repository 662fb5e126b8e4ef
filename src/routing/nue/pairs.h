// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Improves an order of arcs where nearly all pairs of switches are at most three hops apart. Counts
// for every pair two or three hops apart the shortest paths that the order allows; each arc in turn
// is removed and reinserted where the fewest pairs have none. The gain is exact, where weights of
// single turns only estimate it: a turn matters if no other serves the pair.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/demand.h"
#include "routing/nue/order.h"
#include "routing/nue/pair_counts.h"
#include "routing/nue/placed_arcs.h"

namespace weft::nue {

class Pairs {
 public:
  /// Pairs in demand of a source with a weight and one of the destinations; the value of a pair is
  /// the product of their weights.
  Pairs(const Arcs& arcs, std::span<const std::uint32_t> weight,
        std::span<const std::uint32_t> destinations, const Demand& demand = {});

  /// Are nearly all pairs within three hops? Else the functions below must not be used.
  bool complete() const { return complete_; }
  std::uint32_t switches() const { return arcs_.switches; }
  /// Paths that a sweep visits, a few nanoseconds each.
  std::uint64_t sweep_steps() const;

  /// Turns between needed arcs (by arc: Escape::needed) stay allowed from now on.
  void keep(std::vector<std::uint8_t> needed) { needed_ = std::move(needed); }
  /// Counts the paths that an order allows.
  void start(const Order& order);
  /// Moves every arc once. `noise`, in values of a mean pair, is the greatest random gain added to
  /// a position.
  void sweep(double noise, Rng& rng);
  /// The current order.
  const Order& order();
  /// Value of the pairs without an allowed path.
  std::int64_t lost() const { return lost_ / kUnit; }

 private:
  static constexpr std::int64_t kUnit = 16;  // fixed-point scale of values

  /// An arc that makes a turn with the moved arc.
  struct Neighbour {
    Place place = 0;
    std::uint32_t sw = 0;           // its other end
    std::uint32_t rank = 0;         // neighbours before it
    const std::uint16_t* far = {};  // beyond that end: where the order allows paths of three arcs
    std::uint32_t far_count = 0;

    std::span<const std::uint16_t> ends() const { return {far, far_count}; }
  };

  std::uint64_t measure(std::span<const std::uint32_t> destinations);
  void gather(std::uint32_t arc);
  void merge();
  std::pair<Place, Place> limits(std::uint32_t arc) const;
  void weigh(std::uint32_t arc);
  void weigh_before(std::uint32_t head);
  void weigh_behind(std::uint32_t tail);
  void weigh_across();
  template <class Nearest>
  void list_ends(Nearest nearest, std::size_t neighbours, std::size_t own);
  template <class Has>
  void find_open(PairCounts::Row row, const Has& has);
  std::int64_t close(std::uint32_t sw, std::int64_t sign);
  void move(std::uint32_t arc, std::int64_t noise, Rng& rng);
  void move_to(std::uint32_t arc, Place place);

  std::int64_t worth(std::uint32_t from, std::uint32_t to) const {
    return kUnit * weight_.data()[from] * weight_.data()[to];
  }
  const Arcs& arcs_;
  std::span<const std::uint32_t> weight_;
  Demand demand_;
  bool complete_ = false;
  double mean_worth_ = 0;
  std::int64_t open_turn_ = 0;  // value of an allowed turn
  std::int64_t lost_ = 0;
  std::vector<std::uint8_t> needed_;  // by arc, or empty
  PairCounts counts_;
  std::optional<PlacedArcs> placed_;  // if complete
  Order order_;
  // Of the arc being moved.
  std::vector<Place> places_;             // of its neighbours, by rank, and one for each end
  std::vector<Neighbour> before_;         // those that must come before it, by place
  std::vector<Neighbour> behind_;         // those that must come behind it, by place
  std::size_t before_own_ = 0;            // of before_, those that do, which are the first
  std::size_t behind_own_ = 0;            // of behind_, those that do not, likewise
  std::vector<std::int64_t> gains_;       // differences between consecutive positions
  std::vector<std::int64_t> turn_gains_;  // the same for the values of allowed turns
  // Of one of its ends: the switches that paths of three arcs connect with it.
  std::vector<std::uint16_t> ends_;           // once for each path, by the neighbour's place
  std::vector<std::uint16_t> end_positions_;  // likewise: the position from which on it is allowed
  std::size_t ends_count_ = 0;
  std::size_t own_ends_ = 0;            // the first of ends_: these paths are allowed now
  std::vector<std::uint64_t> seen_;     // by switch: a path is allowed now
  std::vector<std::uint16_t> again_;    // for each further one such path
  std::vector<std::uint32_t> further_;  // by switch: their number
  std::vector<std::uint64_t> open_;     // by switch: no path without the arc
  std::vector<std::uint32_t> hits_;
};

/// Improves the order by some sweeps, more where there are many switches, fewer where these have
/// many neighbours; `noise` is in values of a mean pair and decreases. False where no better order
/// was found.
bool settle(Pairs& pairs, double noise, Rng& rng, Order& order);

}  // namespace weft::nue
