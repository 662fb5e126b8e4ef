// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Improves an order of arcs if nearly all pairs of switches are at most three hops apart. Counts
// the shortest paths that the order allows for every pair at two or three hops. Removes one arc
// after another, and inserts the arc again where the fewest pairs are without a path. The gain is
// exact, whereas weights of single turns only estimate it: a turn matters only if no other turn
// allows a path of the pair.
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
  /// Counts the pairs of `demand` from a source with a weight to one of the destinations. The value
  /// of a pair is the product of the weights of the two switches. `arcs`, `weight` (by switch) and
  /// the span in `demand` must outlive this object.
  Pairs(const Arcs& arcs, std::span<const std::uint32_t> weight,
        std::span<const std::uint32_t> destinations, const Demand& demand = {});

  /// True if at least 9 of 10 pairs are within three hops, and the numbers of switches and of
  /// neighbors fit the tables; otherwise the functions below must not be used.
  bool is_usable() const { return usable_; }
  std::uint32_t switches() const { return arcs_.switches; }
  /// Number of paths that a sweep visits; each visit takes a few nanoseconds.
  std::uint64_t sweep_steps() const;

  /// Turns between arcs in `needed` (by arc: Escape::needed) stay allowed from now on.
  void keep(std::vector<std::uint8_t> needed) { needed_ = std::move(needed); }
  /// Counts the paths that an order allows.
  void start(const Order& order);
  /// Moves every arc once. A random gain, less than `noise` times the mean value of a pair, is
  /// added to each position.
  void sweep(double noise, Rng& rng);
  /// The current order.
  const Order& order();
  /// Value of the pairs without an allowed path.
  std::int64_t lost() const { return lost_ / kUnit; }

 private:
  static constexpr std::int64_t kUnit = 16;  // fixed-point scale of values

  /// An arc that makes a turn with the moved arc.
  struct Neighbor {
    Place place = 0;
    std::uint32_t sw = 0;           // the other end of the arc
    std::uint32_t number = 0;       // number of neighbors before it
    const std::uint16_t* far = {};  // switches at the end of allowed paths of three arcs
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
  void list_ends(Nearest nearest, std::size_t neighbors, std::size_t own);
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
  bool usable_ = false;
  double mean_worth_ = 0;
  std::int64_t open_turn_ = 0;  // value of an allowed turn
  std::int64_t lost_ = 0;
  std::vector<std::uint8_t> needed_;  // by arc, or empty
  PairCounts counts_;
  std::optional<PlacedArcs> placed_;  // if usable_
  Order order_;
  // Data of the arc that is being moved.
  std::vector<Place> places_;             // 0, the places of its neighbors by number, and the end
  std::vector<Neighbor> before_;          // arcs that must precede it to allow a turn, by place
  std::vector<Neighbor> behind_;          // arcs that must follow it to allow a turn, by place
  std::size_t before_own_ = 0;            // number of arcs in before_ that precede it
  std::size_t behind_own_ = 0;            // number of arcs in behind_ that do not follow it
  std::vector<std::int64_t> gains_;       // differences between consecutive positions
  std::vector<std::int64_t> turn_gains_;  // as gains_, for the values of allowed turns
  // Data of one end of the arc: the switches connected with it by paths of three arcs.
  std::vector<std::uint16_t> ends_;           // one for each path, by place of the neighbor
  std::vector<std::uint16_t> end_positions_;  // by index in ends_: first position that allows it
  std::size_t ends_count_ = 0;
  std::size_t own_ends_ = 0;            // number of allowed paths, which are first in ends_
  std::vector<std::uint64_t> seen_;     // a bit for each switch with an allowed path
  std::vector<std::uint16_t> again_;    // switches of further allowed paths
  std::vector<std::uint32_t> further_;  // by switch: number of these paths
  std::vector<std::uint64_t> open_;     // a bit for each switch with no other path
  std::vector<std::uint32_t> hits_;
};

/// Improves the order by some sweeps: more if there are many switches, fewer if switches have many
/// neighbors. `noise` is relative to the mean value of a pair, and decreases. Returns false,
/// without a change of `order`, if no better order was found.
bool improve_by_sweeps(Pairs& pairs, double noise, Rng& rng, Order& order);

}  // namespace weft::nue
