#include "routing/nue/order.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weft::nue {
namespace {

/// A wanted turn of the arc that is being moved, seen from its other arc.
struct Wish {
  double at;            // position of the other arc
  std::int64_t change;  // gain in moving from before it to behind it
};

class Sifter {
 public:
  Sifter(const Arcs& arcs, const Escape& escape, std::span<const std::uint64_t> weights,
         Order& order)
      : arcs_(arcs), escape_(escape), weights_(weights), order_(order), at_(arcs.count()) {
    for (std::uint32_t a = 0; a < arcs.count(); ++a) {
      at_[a] = order[a];
      in_tree_.push_back(escape.contains(arcs, a) ? 1 : 0);
    }
    by_place_.resize(arcs.count());
  }

  /// Moves every arc once; false where none found a better place.
  bool sweep(std::int64_t noise, Rng& rng) {
    renumber();
    noise_ = noise;
    rng_ = &rng;
    bool moved = false;
    for (std::uint32_t i = 0; i < arcs_.count(); ++i) moved |= move(sequence_[i]);
    renumber();
    return moved;
  }

 private:
  /// Positions as whole numbers again. Equal positions are told apart by id.
  void renumber() {
    for (std::uint32_t a = 0; a < arcs_.count(); ++a) by_place_[a] = {at_[a], a};
    std::ranges::sort(by_place_);
    sequence_.resize(arcs_.count());
    for (std::uint32_t i = 0; i < arcs_.count(); ++i) {
      sequence_[i] = by_place_[i].second;
      at_[by_place_[i].second] = i;
      order_[by_place_[i].second] = i;
    }
  }

  void gather(std::uint32_t arc) {
    wishes_.clear();
    low_ = -1;
    high_ = static_cast<double>(arcs_.count());
    const std::uint32_t tail = arcs_.tail[arc];
    const std::uint32_t head = arcs_.head[arc];
    const std::uint32_t back = arcs_.reverse[arc];
    // Arcs into the tail want to be before.
    const std::uint32_t degree = arcs_.degree(tail);
    std::size_t turn = arcs_.turn_begin[tail] + (arc - arcs_.begin[tail]);
    for (std::uint32_t out = arcs_.begin[tail]; out < arcs_.begin[tail + 1];
         ++out, turn += degree) {
      if (out == arc) continue;
      const std::uint32_t in = arcs_.reverse[out];
      if (weights_[turn] > 0)
        wishes_.push_back({at_[in], static_cast<std::int64_t>(weights_[turn])});
      if (in_tree_[arc] && in_tree_[in]) low_ = std::max(low_, at_[in]);
    }
    // Arcs out of the head want to be behind.
    turn = arcs_.turn(arc, arcs_.begin[head]);
    for (std::uint32_t out = arcs_.begin[head]; out < arcs_.begin[head + 1]; ++out, ++turn) {
      if (out == back) continue;
      if (weights_[turn] > 0)
        wishes_.push_back({at_[out], -static_cast<std::int64_t>(weights_[turn])});
      if (in_tree_[arc] && in_tree_[out]) high_ = std::min(high_, at_[out]);
    }
  }

  std::int64_t luck() {
    return noise_ == 0 ? 0
                       : static_cast<std::int64_t>(
                             (static_cast<std::uint64_t>(noise_) * (rng_->next() >> 48)) >> 16);
  }

  bool move(std::uint32_t arc) {
    gather(arc);
    if (wishes_.empty()) return false;
    std::ranges::sort(wishes_, {}, &Wish::at);
    // Gains relative to a place before all others; gap i lies before wish i.
    std::int64_t gain = 0;
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    std::int64_t here = best;
    double place = at_[arc];
    double from = low_;
    for (std::size_t i = 0; i <= wishes_.size(); ++i) {
      const double to = i < wishes_.size() ? std::min(wishes_[i].at, high_) : high_;
      if (from < to) {
        const std::int64_t drawn = gain + luck();
        if (from < at_[arc] && at_[arc] < to) here = drawn;
        if (drawn > best) {
          best = drawn;
          place = from + (to - from) / 2;
        }
      }
      if (i == wishes_.size() || wishes_[i].at >= high_) break;
      gain += wishes_[i].change;
      from = std::max(low_, wishes_[i].at);
    }
    if (best <= here) return false;
    at_[arc] = place;
    return true;
  }

  const Arcs& arcs_;
  const Escape& escape_;
  std::span<const std::uint64_t> weights_;
  Order& order_;
  std::vector<double> at_;
  std::vector<std::uint8_t> in_tree_;
  std::vector<std::pair<double, std::uint32_t>> by_place_;
  std::vector<std::uint32_t> sequence_;
  std::vector<Wish> wishes_;
  std::int64_t noise_ = 0;
  Rng* rng_ = nullptr;
  double low_ = 0;
  double high_ = 0;
};

}  // namespace

Order up_down_order(const Arcs& arcs, const Escape& escape) {
  Order order(arcs.count());
  std::vector<std::uint32_t> place(arcs.switches);
  for (std::uint32_t i = 0; i < arcs.switches; ++i) place[escape.sequence[i]] = i;
  std::uint32_t next = 0;
  const auto number = [&](std::uint32_t sw, bool up) {
    for (std::uint32_t a = arcs.begin[sw]; a < arcs.begin[sw + 1]; ++a)
      if ((place[arcs.head[a]] < place[sw]) == up) order[a] = next++;
  };
  for (std::uint32_t i = arcs.switches; i-- > 0;) number(escape.sequence[i], true);
  for (const std::uint32_t sw : escape.sequence) number(sw, false);
  return order;
}

void sift(const Arcs& arcs, const Escape& escape, std::span<const std::uint64_t> weights,
          unsigned sweeps, double noise, Rng& rng, Order& order) {
  std::uint64_t sum = 0;
  std::uint64_t turns = 0;
  for (const std::uint64_t weight : weights) {
    sum += weight;
    turns += weight > 0 ? 1 : 0;
  }
  if (turns == 0) return;
  const double mean = static_cast<double>(sum) / static_cast<double>(turns);
  Sifter sifter(arcs, escape, weights, order);
  for (unsigned i = 0; i < sweeps; ++i) {
    const double fading = static_cast<double>(sweeps - 1 - i) / sweeps;
    const auto most = static_cast<std::int64_t>(noise * fading * mean);
    if (!sifter.sweep(most, rng) && most == 0) return;
  }
}

}  // namespace weft::nue
