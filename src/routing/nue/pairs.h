// The pairs of switches two or three hops apart, and how many of the shortest paths of each an
// order of arcs allows. What moving an arc gains and loses is then known exactly, where weights of
// single turns can only guess: a turn matters if no other path serves the pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/nue/arcs.h"
#include "routing/nue/mover.h"
#include "routing/nue/order.h"

namespace weft::nue {

class Pairs {
 public:
  /// Pairs of a source with a weight and one of the destinations; each is worth the product of
  /// their weights.
  Pairs(const Arcs& arcs, std::span<const std::uint32_t> weight,
        std::span<const std::uint32_t> destinations);

  /// Are the shortest paths of nearly all pairs counted? Not where pairs are farther apart, or
  /// have too many paths to list them all.
  bool complete() const { return complete_; }

  /// Counts for an order.
  void start(const Order& order);
  /// Worth of the pairs no path of which is allowed.
  std::int64_t lost() const { return lost_; }

  double mean_worth() const;
  /// How much more than here a place may lose before those beyond it are not looked at.
  void set_margin(double margin) { margin_ = static_cast<std::int64_t>(margin); }

  // As a Judge for Mover.
  bool cares(std::size_t turn) const { return begin_[turn] != begin_[turn + 1]; }
  void weigh(std::span<const Neighbour> neighbours, std::size_t here, std::size_t low,
             std::size_t high, std::span<std::int64_t> gains);
  void moved(std::span<const Neighbour> neighbours, std::size_t from, std::size_t to);

 private:
  static constexpr std::size_t kPathsMax = 8'000'000;
  struct Path {
    std::uint32_t other;  // the path's other turn, or the one that is always allowed
    std::uint32_t pair;
  };
  struct Finder;

  void flip(std::size_t turn);

  const Arcs& arcs_;
  bool complete_ = false;
  std::vector<std::uint32_t> begin_;  // turn_count() + 1: the paths of each turn
  std::vector<Path> paths_;
  std::vector<std::uint32_t> worth_;    // by pair
  std::vector<std::uint16_t> allowed_;  // by pair: paths
  std::vector<std::uint8_t> open_;      // by turn; one more that is always allowed
  std::int64_t lost_ = 0;
  std::int64_t margin_ = 0;
};

/// Betters the order by at most `sweeps` passes; `noise` is in worths of a mean pair and fades
/// away. Leaves it as it is where that loses less.
void settle(const Arcs& arcs, const Escape& escape, Pairs& pairs, unsigned sweeps, double noise,
            Rng& rng, Order& order);

}  // namespace weft::nue
