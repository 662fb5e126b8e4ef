// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Improves an order of arcs where nearly all pairs of switches are at most three hops apart. Counts
// for every pair two or three hops apart the shortest paths that the order allows; each arc in turn
// is removed and reinserted where the fewest pairs have none. The gain is exact, where weights of
// single turns only estimate it: a turn matters if no other serves the pair.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/demand.h"
#include "routing/nue/order.h"

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
  /// State of a pair: hops in the upper bits if it counts, else 0; allowed paths in the lower bits.
  using Cell = std::uint16_t;
  static constexpr unsigned kHopsShift = 14;
  static constexpr Cell kTwo = 2u << kHopsShift;
  static constexpr Cell kThree = 3u << kHopsShift;
  static constexpr std::int64_t kUnit = 16;  // fixed-point scale of values
  static constexpr Cell kPathsMask = (1u << kHopsShift) - 1;

  /// Position of an arc, with gaps for insertion. Equal positions are ordered by id.
  using Place = std::uint32_t;
  static constexpr unsigned kGapShift = 10;

  /// An arc that makes a turn with the moved arc.
  struct Neighbour {
    Place place = 0;
    std::uint32_t sw = 0;    // its other end
    std::uint32_t rank = 0;  // neighbours before it
  };

  /// Neighbours in the order in which they are found.
  struct Unsorted {
    std::vector<Place> place;
    std::vector<std::uint32_t> sw;
  };

  std::uint64_t measure(std::span<const std::uint32_t> destinations);
  void gather(std::uint32_t arc);
  std::pair<Place, Place> limits(std::uint32_t arc) const;
  void take_out(std::uint32_t arc);
  void put_back(std::uint32_t arc);
  template <class Found>
  void for_each_path(std::uint32_t arc, const Found& found);
  void weigh(std::uint32_t arc);
  void weigh_before(std::uint32_t head);
  void weigh_behind(std::uint32_t tail);
  void weigh_across();
  void move(std::uint32_t arc, std::int64_t noise, Rng& rng);
  void put(std::uint32_t arc, Place place);
  Place gap(std::size_t index) const { return static_cast<Place>((index + 1) << kGapShift); }
  void renumber();

  Cell* row(std::uint32_t destination) {
    return cells_.data() + std::size_t{destination} * arcs_.switches;
  }
  std::int64_t worth(std::uint32_t from, std::uint32_t to) const {
    return kUnit * weight_.data()[from] * weight_.data()[to];
  }
  /// From a position behind `first` of the neighbours to one behind `last`, both included.
  void gain(std::size_t first, std::size_t last, std::int64_t worth) {
    std::int64_t* const gains = gains_.data();  // unchecked, as all accesses for each neighbour
    gains[first] += worth;
    gains[last + 1] -= worth;
  }

  const Arcs& arcs_;
  std::span<const std::uint32_t> weight_;
  Demand demand_;
  bool complete_ = false;
  double mean_worth_ = 0;
  std::int64_t open_turn_ = 0;  // value of an allowed turn
  std::int64_t lost_ = 0;
  std::vector<std::uint8_t> needed_;  // by arc, or empty
  std::vector<Cell> cells_;           // by destination and source
  std::vector<Place> place_;          // by arc
  std::vector<Place> back_;           // by arc: the place of its reverse
  Order order_;
  std::vector<std::pair<Place, std::uint32_t>> sequence_;
  // Of the arc being moved.
  std::vector<Place> places_;  // of its neighbours, by rank, and one for each end
  Unsorted ahead_;
  Unsorted after_;
  std::vector<Neighbour> before_;         // those that must come before it, by place
  std::vector<Neighbour> behind_;         // those that must come behind it, by place
  std::vector<std::int64_t> gains_;       // differences between consecutive positions
  std::vector<std::int64_t> turn_gains_;  // the same for the values of allowed turns
  std::vector<std::uint32_t> counted_;    // cells of its paths that are allowed
  std::size_t count_ = 0;                 // of counted_
  std::vector<Cell*> marked_;
};

/// Improves the order by some sweeps, more where there are many switches, fewer where these have
/// many neighbours; `noise` is in values of a mean pair and decreases. False where no better order
/// was found.
bool settle(Pairs& pairs, double noise, Rng& rng, Order& order);

}  // namespace weft::nue
