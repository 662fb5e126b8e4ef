// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/repair.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace weft::nue {
namespace {

constexpr std::uint64_t kRepairStepsMost = 300'000'000;  // limit of visited arcs
constexpr std::size_t kTableMost = 16'000'000;  // limit of pairs of a switch and a destination
constexpr std::size_t kDestinationsAtOnce = 16;
constexpr std::uint32_t kUneven = 4;

/// A possible move of an arc, with its target position.
struct Move {
  std::uint64_t possible_gain = 0;  // weight of the pairs that need an added turn
  std::uint32_t arc = 0;
  std::uint32_t beside = 0;  // the arc that the moved arc would directly follow or precede
  bool later = false;
};

class Repairer {
 public:
  Repairer(const Arcs& arcs, const Trials& trials, const Ranking& ranking)
      : arcs_(arcs),
        weight_(trials.weight()),
        targets_(trials.destinations()),
        threads_(threads_worth(targets_.size() * arcs.count(), trials.threads())),
        hops_(targets_.size() * arcs.switches),
        latest_(hops_.size()),
        row_(ranking.arcs),
        key_(arcs.count()),
        refused_(2 * std::size_t{arcs.count()}, 0),
        queued_(arcs.switches, 0) {
    parallel_for(targets_.size(), threads_, [&](std::size_t t) { search(t); });
    number();
    follow_all();
  }

  Ranking ranking() const {
    Order order(arcs_.count());
    for (std::uint32_t i = 0; i < arcs_.count(); ++i) order[row_[i]] = i;
    return Ranking(arcs_, std::move(order));
  }

  /// Makes the most promising move that leaves fewer pairs without a shortest path and for which
  /// `allows(ranking)` is true. Returns false if there is no such move, or if the limit of steps is
  /// reached.
  template <class Allows, class Continue>
  bool make_best_move(const Allows& allows, const Continue& may_continue) {
    for (const Move& move : moves()) {
      if (steps_ > kRepairStepsMost || !may_continue()) return false;
      std::uint8_t& refused = refused_[2 * std::size_t{move.arc} + (move.later ? 1 : 0)];
      if (refused == 0 && try_move(move, allows, refused)) return true;
    }
    return false;
  }

 private:
  using Key = std::uint32_t;  // position of an arc: a multiple of 4, with free positions between
  static constexpr Key kNone = 0;
  static constexpr Key kAny = std::numeric_limits<Key>::max();
  static constexpr std::uint16_t kUnreachable = 0xFFFF;

  template <class Allows>
  bool try_move(const Move& move, const Allows& allows, std::uint8_t& refused) {
    const std::uint64_t lost = lost_;
    const Key key = key_[move.arc];
    undo_.clear();
    key_[move.arc] = move.later ? key_[move.beside] + 1 : key_[move.beside] - 1;
    for (std::size_t t = 0; t < targets_.size(); ++t) update(t, arcs_.tail[move.arc]);
    if (lost_ < lost) {
      const auto row = row_;
      std::ranges::sort(row_, {}, [&](std::uint32_t arc) { return key_[arc]; });
      if (allows(ranking())) {
        number();
        follow_all();
        return true;
      }
      refused = 1;
      row_ = row;
    }
    for (std::size_t i = undo_.size(); i-- > 0;) latest_[undo_[i].first] = undo_[i].second;
    key_[move.arc] = key;
    lost_ = lost;
    return false;
  }

  void search(std::size_t t) {
    std::uint16_t* const hops = hops_.data() + t * arcs_.switches;
    std::fill_n(hops, arcs_.switches, kUnreachable);
    std::vector<std::uint32_t> near(1, targets_[t]);
    hops[targets_[t]] = 0;
    for (std::size_t i = 0; i < near.size(); ++i)
      for (std::uint32_t a = arcs_.begin[near[i]]; a < arcs_.begin[near[i] + 1]; ++a)
        if (std::uint16_t& hop = hops[arcs_.head[a]]; hop == kUnreachable) {
          hop = static_cast<std::uint16_t>(hops[near[i]] + 1);
          near.push_back(arcs_.head[a]);
        }
  }

  void number() {
    for (std::uint32_t i = 0; i < arcs_.count(); ++i) key_[row_[i]] = 4 * (i + 1);
  }

  /// The latest arc by which the switch has a shortest path that the order allows.
  Key latest(std::size_t t, std::uint32_t sw) const {
    const std::uint16_t* const hops = hops_.data() + t * arcs_.switches;
    const Key* const latest = latest_.data() + t * arcs_.switches;
    const std::uint32_t* const head = arcs_.head.data();
    const std::uint32_t end = arcs_.begin[sw + 1];
    const std::uint16_t here = hops[sw];
    Key best = kNone;
    for (std::uint32_t a = arcs_.begin[sw]; a < end; ++a) {
      const std::uint32_t over = head[a];
      const bool allowed = (hops[over] < here) & (key_[a] < latest[over]);
      best = std::max(best, allowed ? key_[a] : kNone);
    }
    return best;
  }

  void follow_all() {
    std::vector<std::uint64_t> lost(targets_.size(), 0);
    parallel_blocks(targets_.size(), kDestinationsAtOnce, threads_,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t t = begin; t < end; ++t) lost[t] = follow(t);
                    });
    lost_ = std::accumulate(lost.begin(), lost.end(), std::uint64_t{0});
    steps_ += targets_.size() * arcs_.count();
  }

  std::uint64_t follow(std::size_t t) {
    const auto near = nearest_first(t);
    Key* const of = latest_.data() + t * arcs_.switches;
    std::uint64_t lost = 0;
    of[targets_[t]] = kAny;
    for (const std::uint32_t sw : std::span(near).subspan(1)) {
      of[sw] = latest(t, sw);
      if (of[sw] == kNone) lost += worth(t, sw);
    }
    return lost;
  }

  std::vector<std::uint32_t> nearest_first(std::size_t t) const {
    const std::uint16_t* const hops = hops_.data() + t * arcs_.switches;
    std::vector<std::uint32_t> near;
    for (std::uint32_t sw = 0; sw < arcs_.switches; ++sw)
      if (hops[sw] != kUnreachable) near.push_back(sw);
    std::ranges::stable_sort(near, {}, [&](std::uint32_t sw) { return hops[sw]; });
    return near;
  }

  std::uint64_t worth(std::size_t t, std::uint32_t sw) const {
    return std::uint64_t{weight_[sw]} * weight_[targets_[t]];
  }

  /// Updates the paths to one target after an arc of the switch was moved.
  void update(std::size_t t, std::uint32_t changed) {
    if (changed == targets_[t]) return;
    const std::uint16_t* const hops = hops_.data() + t * arcs_.switches;
    Key* const of = latest_.data() + t * arcs_.switches;
    queue_.assign(1, changed);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::uint32_t sw = queue_[i];
      queued_[sw] = 0;
      const Key now = latest(t, sw);
      steps_ += arcs_.degree(sw);
      if (now == of[sw]) continue;
      undo_.emplace_back(t * arcs_.switches + sw, of[sw]);
      if (now == kNone) lost_ += worth(t, sw);
      if (of[sw] == kNone) lost_ -= worth(t, sw);
      const Key low = std::min(now, of[sw]);
      const Key high = std::max(now, of[sw]);
      of[sw] = now;
      // Only paths over arcs between the old and the new position can change.
      for (std::uint32_t out = arcs_.begin[sw]; out < arcs_.begin[sw + 1]; ++out) {
        const std::uint32_t from = arcs_.head[out];
        const Key key = key_[arcs_.reverse[out]];
        if (hops[from] <= hops[sw] || queued_[from] != 0 || key < low || key >= high) continue;
        queued_[from] = 1;
        queue_.push_back(from);
      }
    }
  }

  /// The possible moves, most promising first. A switch without an allowed shortest path counts for
  /// its missing turn if its neighbor has such a path, else for the missing turn of the neighbor.
  std::vector<Move> moves() {
    std::vector<Move> later(arcs_.count());
    std::vector<Move> earlier(arcs_.count());
    std::vector<std::uint32_t> by_key(4 * (arcs_.count() + std::size_t{1}));
    for (std::uint32_t a = 0; a < arcs_.count(); ++a) {
      later[a] = {0, a, a, true};
      earlier[a] = {0, a, a, false};
      by_key[key_[a]] = a;
    }
    std::vector<std::uint64_t> mass(arcs_.switches);
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      const Key* const of = latest_.data() + t * arcs_.switches;
      const std::uint16_t* const hops = hops_.data() + t * arcs_.switches;
      const auto near = nearest_first(t);
      for (const std::uint32_t sw : near) mass[sw] = of[sw] == kNone ? worth(t, sw) : 0;
      for (std::size_t i = near.size(); i-- > 1;) {
        const std::uint32_t sw = near[i];
        if (mass[sw] == 0) continue;
        for (std::uint32_t a = arcs_.begin[sw]; a < arcs_.begin[sw + 1]; ++a) {
          const std::uint32_t over = arcs_.head[a];
          if (hops[over] >= hops[sw]) continue;
          if (of[over] == kNone) {
            mass[over] += mass[sw];
            continue;
          }
          const std::uint32_t onward = by_key[of[over]];
          earlier[a].possible_gain += mass[sw];
          if (key_[onward] < key_[earlier[a].beside]) earlier[a].beside = onward;
          later[onward].possible_gain += mass[sw];
          if (key_[a] > key_[later[onward].beside]) later[onward].beside = a;
        }
      }
    }
    later.insert(later.end(), earlier.begin(), earlier.end());
    std::erase_if(later, [](const Move& move) { return move.possible_gain == 0; });
    std::ranges::stable_sort(later, std::ranges::greater{}, &Move::possible_gain);
    return later;
  }

  const Arcs& arcs_;
  std::span<const std::uint32_t> weight_;
  std::span<const std::uint32_t> targets_;
  unsigned threads_;
  std::vector<std::uint16_t> hops_;  // by target and switch
  std::vector<Key> latest_;          // by target and switch: latest arc that begins a shortest path
  std::vector<std::uint32_t> row_;   // arcs, earliest first
  std::vector<Key> key_;             // by arc
  std::uint64_t lost_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::uint8_t> refused_;  // by arc and direction: 1 if the move was rejected
  std::vector<std::pair<std::size_t, Key>> undo_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint8_t> queued_;  // by switch: 1 if in queue_
};

/// Checks the balance after a move: the cost of loads may rise by a small share only, and no
/// channel may carry much more load than the most loaded channel before all moves.
class BalanceCheck {
 public:
  BalanceCheck(const Arcs& arcs, const Trials& trials, const Ranking& ranking)
      : arcs_(arcs), trials_(trials) {
    const Trial start = trials.run(ranking, Measure::kLoads);
    least_ = now_ = trials.cost(start);
    peak_ = peak(start);
    const std::uint64_t each = trials.destinations().size() * arcs.count();
    checks_ = std::min(kChecksMost, kCheckStepsMost / std::max<std::uint64_t>(1, each));
  }

  bool may_go_on() const { return checks_ > 0 && refused_ < kRefusedMost; }

  bool allows(const Ranking& ranking) {
    --checks_;
    const Trial trial = trials_.run(ranking, Measure::kLoads);
    const double cost = trials_.cost(trial);
    const bool is_too_costly = cost > now_ * kRiseMost || cost > least_ * kRiseMostInAll ||
                               peak(trial) > peak_ * kPeakRiseMost;
    refused_ = is_too_costly ? refused_ + 1 : 0;
    if (!is_too_costly) now_ = cost;
    return !is_too_costly;
  }

 private:
  static constexpr std::uint64_t kChecksMost = 256;
  static constexpr std::uint64_t kCheckStepsMost = 170'000'000;
  static constexpr unsigned kRefusedMost = 24;  // consecutive rejections
  static constexpr double kRiseMost = 1.0003;
  static constexpr double kRiseMostInAll = 1.005;
  static constexpr double kPeakRiseMost = 1.1;

  double peak(const Trial& trial) const {
    double most = 0;
    for (std::uint32_t a = 0; a < arcs_.count(); ++a)
      most = std::max(most, static_cast<double>(trial.load[a]) /
                                static_cast<double>(arcs_.channels_of(a).size()));
    return most;
  }

  const Arcs& arcs_;
  const Trials& trials_;
  double least_ = 0;  // cost before all moves
  double now_ = 0;
  double peak_ = 0;  // load of the most loaded channel before all moves
  std::uint64_t checks_ = 0;
  unsigned refused_ = 0;
};

/// True if some switches have far fewer endports than other switches, such as a single aggregation
/// node.
bool has_uneven_weights(std::span<const std::uint32_t> weight) {
  std::uint32_t least = 0;
  for (const std::uint32_t of : weight)
    if (of > 0 && (least == 0 || of < least)) least = of;
  return least * kUneven <= std::ranges::max(weight);
}

}  // namespace

Ranking repair(const Arcs& arcs, const Trials& trials, std::span<const std::uint32_t> destinations,
               Ranking ranking) {
  if (trials.destinations().size() * arcs.switches > kTableMost ||
      !has_uneven_weights(trials.weight()))
    return ranking;
  Repairer repairer(arcs, trials, ranking);
  BalanceCheck guard(arcs, trials, ranking);
  const auto allowed = [&](const Ranking& moved) {
    return connects(arcs, moved, destinations) && guard.allows(moved);
  };
  while (guard.may_go_on() && repairer.make_best_move(allowed, [&] { return guard.may_go_on(); })) {
  }
  return repairer.ranking();
}

}  // namespace weft::nue
