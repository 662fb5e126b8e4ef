// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Improves an order of arcs: removes one arc after another and inserts the arc again at the
// position where the allowed turns have the greatest value. Only positions that keep the turns
// between needed arcs, such as those of the escape tree, are considered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "routing/nue/arcs.h"
#include "routing/nue/noise.h"
#include "routing/nue/order.h"

namespace weft::nue {

/// A turn between the arc being moved and another arc. The order of the two arcs determines whether
/// the turn is allowed.
struct Neighbor {
  double at = 0;         // position of the other arc in the order
  std::size_t turn = 0;  // index of the turn
  bool before = false;   // the other arc must come first for the turn to be allowed
};

/// Valuer provides the value of turns:
///   bool matters(std::size_t turn)                 whether the turn has a value
///   void weigh(neighbors, here, low, high, gains)  sets gains[i] for a position behind i
///                                                  neighbors, low <= i <= high; now the arc is
///                                                  behind `here` neighbors
///   void moved(neighbors, from, to)                the arc was behind `from`, now behind `to`
template <class Valuer>
class Mover {
 public:
  /// Turns between needed arcs stay allowed. Sweeps change `order`. All arguments must outlive this
  /// object.
  Mover(const Arcs& arcs, std::span<const std::uint8_t> needed, Valuer& valuer, Order& order)
      : arcs_(arcs),
        needed_(needed),
        valuer_(valuer),
        order_(order),
        at_(order.begin(), order.end()),
        by_place_(arcs.count()) {
    renumber();
  }

  /// Moves every arc once. A random gain below `noise` is added to each position. Returns false if
  /// no arc was moved.
  bool sweep(std::int64_t noise, Rng& rng) {
    sequence_.clear();
    for (const auto& [place, arc] : by_place_) sequence_.push_back(arc);
    bool any = false;
    for (const std::uint32_t arc : sequence_) any |= move(arc, noise, rng);
    renumber();
    return any;
  }

 private:
  static constexpr std::size_t kFew = 24;

  /// Sets the positions to whole numbers again. Equal positions are ordered by id.
  void renumber() {
    for (std::uint32_t a = 0; a < arcs_.count(); ++a) by_place_[a] = {at_[a], a};
    std::ranges::sort(by_place_);
    for (std::uint32_t i = 0; i < arcs_.count(); ++i) {
      at_[by_place_[i].second] = i;
      order_[by_place_[i].second] = i;
    }
  }

  void gather(std::uint32_t arc) {
    // Local copies, so that stores to memory do not force the compiler to reload the pointers.
    const std::uint32_t* const reverse = arcs_.reverse.data();
    const std::uint8_t* const needed = needed_.data();
    const double* const at = at_.data();
    const std::uint32_t tail = arcs_.tail[arc];
    const std::uint32_t head = arcs_.head[arc];
    const std::uint32_t degree = arcs_.degree(tail);
    const std::uint32_t back = reverse[arc];
    const std::uint32_t tail_end = arcs_.begin[tail + 1];
    const std::uint32_t head_end = arcs_.begin[head + 1];
    const bool is_needed = needed[arc] != 0;
    double low = -1;
    double high = static_cast<double>(arcs_.count());
    // The extra element receives writes that are not counted: which turns matter is unpredictable.
    unsorted_.resize(degree + arcs_.degree(head) + std::size_t{1});
    Neighbor* const neighbors = unsorted_.data();
    std::size_t count = 0;
    std::size_t turn = arcs_.turn_begin[tail] + (arc - arcs_.begin[tail]);
    for (std::uint32_t out = arcs_.begin[tail]; out < tail_end; ++out, turn += degree) {
      const std::uint32_t in = reverse[out];
      neighbors[count] = {at[in], turn, true};
      count += unsigned{out != arc} & unsigned{valuer_.matters(turn)};
      if (is_needed && out != arc && needed[in] != 0) low = std::max(low, at[in]);
    }
    turn = arcs_.turn(arc, arcs_.begin[head]);
    for (std::uint32_t out = arcs_.begin[head]; out < head_end; ++out, ++turn) {
      neighbors[count] = {at[out], turn, false};
      count += unsigned{out != back} & unsigned{valuer_.matters(turn)};
      if (is_needed && out != back && needed[out] != 0) high = std::min(high, at[out]);
    }
    unsorted_.resize(count);
    low_ = low;
    high_ = high;
    sort();
  }

  /// Sorts by position. Few neighbors are sorted by counting, without branches: their comparisons
  /// are unpredictable, and mispredicted branches would take longer than additional comparisons.
  void sort() {
    neighbors_.resize(unsorted_.size());
    if (unsorted_.size() > kFew) {
      neighbors_ = unsorted_;
      std::ranges::sort(neighbors_, {}, &Neighbor::at);
      return;
    }
    for (std::size_t i = 0; i < unsorted_.size(); ++i) {
      std::size_t rank = 0;
      for (std::size_t j = 0; j < i; ++j) rank += unsorted_[j].at <= unsorted_[i].at ? 1 : 0;
      for (std::size_t j = i + 1; j < unsorted_.size(); ++j)
        rank += unsorted_[j].at < unsorted_[i].at ? 1 : 0;
      neighbors_[rank] = unsorted_[i];
    }
  }

  std::size_t behind(double place) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(neighbors_, place, {}, &Neighbor::at) -
                                    neighbors_.begin());
  }

  bool move(std::uint32_t arc, std::int64_t noise, Rng& rng) {
    gather(arc);
    if (neighbors_.empty()) return false;
    const std::size_t here = behind(at_[arc]);
    const std::size_t first = behind(low_);
    const std::size_t last = behind(high_);
    gains_.assign(neighbors_.size() + 1, std::numeric_limits<std::int64_t>::min() / 2);
    valuer_.weigh(neighbors_, here, first, last, gains_);
    std::size_t best = here;
    std::int64_t most = gains_[here] + draw_noise(noise, rng);
    for (std::size_t i = first; i <= last; ++i) {
      if (i == here || from(i) >= to(i)) continue;
      const std::int64_t gain = gains_[i] + draw_noise(noise, rng);
      if (gain <= most) continue;
      most = gain;
      best = i;
    }
    if (best == here) return false;
    at_[arc] = from(best) + (to(best) - from(best)) / 2;
    valuer_.moved(neighbors_, here, best);
    return true;
  }

  double from(std::size_t i) const { return std::max(low_, i == 0 ? low_ : neighbors_[i - 1].at); }
  double to(std::size_t i) const {
    return std::min(high_, i == neighbors_.size() ? high_ : neighbors_[i].at);
  }

  const Arcs& arcs_;
  std::span<const std::uint8_t> needed_;  // by arc
  Valuer& valuer_;
  Order& order_;
  std::vector<double> at_;
  std::vector<std::pair<double, std::uint32_t>> by_place_;
  std::vector<std::uint32_t> sequence_;
  std::vector<Neighbor> unsorted_;
  std::vector<Neighbor> neighbors_;
  std::vector<std::int64_t> gains_;
  double low_ = 0;
  double high_ = 0;
};

}  // namespace weft::nue
