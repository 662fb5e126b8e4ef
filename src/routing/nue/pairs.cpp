// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/pairs.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "routing/nue/noise.h"

namespace weft::nue {
namespace {

constexpr std::uint32_t kSwitchesMost = 8192;  // the table of pairs has 8192^2 cells
constexpr std::size_t kQuickSample = 8;        // destinations sampled for hop counts
constexpr std::uint32_t kSwitchesFew = 32;
constexpr std::uint32_t kSwitchesPerSweep = 28;  // number of switches for each additional sweep
constexpr std::uint32_t kSweepsLeast = 3;
constexpr std::uint32_t kSweepsMost = 10;
constexpr std::uint64_t kStepsMost = 250'000'000;  // limit for all sweeps
constexpr double kOpenTurn = 0.25;  // value of an allowed turn relative to a mean pair, for balance

bool has(const std::uint64_t* bits, std::uint32_t sw) {
  return (bits[sw / 64] >> sw % 64 & 1) != 0;
}

}  // namespace

Pairs::Pairs(const Arcs& arcs, std::span<const std::uint32_t> weight,
             std::span<const std::uint32_t> destinations, const Demand& demand)
    : arcs_(arcs), weight_(weight), demand_(demand) {
  const std::size_t degree = arcs.degree_max();
  if (degree * degree > PairCounts::kPathsMost || degree > PlacedArcs::kDegreeMost ||
      arcs.switches > kSwitchesMost || arcs.count() >= PlacedArcs::kArcsEnd)
    return;
  const auto sources = static_cast<std::uint64_t>(
      std::ranges::count_if(weight, [](std::uint32_t of) { return of > 0; }));
  const auto nearly_all = [&](std::uint64_t near, std::uint64_t targets) {
    const std::uint64_t all = sources * targets;
    return near >= all - all / 10;
  };
  std::vector<std::uint32_t> sample;
  for (std::size_t i = 0; i < destinations.size(); i += destinations.size() / kQuickSample + 1)
    sample.push_back(destinations[i]);
  if (!nearly_all(measure(sample), sample.size())) return;
  counts_.resize(arcs.switches);
  usable_ = nearly_all(measure(destinations), destinations.size());
  placed_.emplace(arcs);
  open_.resize(counts_.words());
  seen_.resize(counts_.words());
  again_.resize(degree * degree + 1);
  hits_.resize(again_.size());
  ends_.resize(degree * degree + PlacedArcs::kBlock);
  end_positions_.resize(ends_.size());
  further_.assign(arcs.switches, 0);
  std::uint64_t counted = 0;
  double sum = 0;
  for (const std::uint32_t to : destinations)
    for (std::uint32_t from = 0; from < arcs.switches; ++from) {
      if (!counts_.counts(from, to)) continue;
      sum += static_cast<double>(worth(from, to));
      ++counted;
    }
  mean_worth_ = sum / static_cast<double>(std::max<std::uint64_t>(1, counted));
  open_turn_ = static_cast<std::int64_t>(kOpenTurn * mean_worth_);
}

std::uint64_t Pairs::sweep_steps() const {
  std::uint64_t steps = 1;
  for (std::uint32_t a = 0; a < arcs_.count(); ++a)
    steps += 3 * std::uint64_t{arcs_.degree(arcs_.tail[a])} * arcs_.degree(arcs_.head[a]);
  return steps;
}

/// Counts the pairs of a source and a destination within three hops. If there is a table, stores
/// the pairs of two and three hops that have demand.
std::uint64_t Pairs::measure(std::span<const std::uint32_t> destinations) {
  std::uint64_t near = 0;
  std::vector<std::uint8_t> seen_by_switch(arcs_.switches, 0);  // hops + 1
  std::vector<std::uint32_t> found(arcs_.switches);
  // Local copies, so that stores to memory do not force the compiler to reload the pointers.
  const std::uint32_t* const begin = arcs_.begin.data();
  const std::uint32_t* const head = arcs_.head.data();
  std::uint8_t* const seen = seen_by_switch.data();
  std::uint32_t* const queue = found.data();
  for (const std::uint32_t destination : destinations) {
    std::size_t end = 1;
    queue[0] = destination;
    seen[destination] = 1;
    for (std::size_t i = 0; i < end && seen[queue[i]] < 4; ++i) {
      const std::uint32_t at = queue[i];
      for (std::uint32_t a = begin[at]; a < begin[at + 1]; ++a)
        if (const std::uint32_t to = head[a]; seen[to] == 0) {
          seen[to] = static_cast<std::uint8_t>(seen[at] + 1);
          queue[end++] = to;
        }
    }
    for (const std::uint32_t sw : std::span(queue, end)) {
      near += weight_[sw] > 0 ? 1 : 0;
      if (weight_[sw] > 0 && seen[sw] > 2 && !counts_.empty() &&
          demand_.has(arcs_.switches, destination, sw))
        counts_.include(sw, destination, seen[sw] != 3);
      seen[sw] = 0;
    }
  }
  return near;
}

void Pairs::start(const Order& order) {
  CHECK(usable_);
  placed_->start(order);
  counts_.clear_paths();
  for (std::uint32_t middle = 0; middle < arcs_.count(); ++middle) {
    const std::uint32_t tail = arcs_.tail[middle];
    const std::uint32_t head = arcs_.head[middle];
    const auto before = placed_->into(tail);
    const auto behind = placed_->out_of(head);
    for (std::uint32_t i = 0; i < placed_->before(middle); ++i) {
      const std::uint32_t from = before.sw[i];
      counts_.count(from, head, false);
      for (std::uint32_t j = placed_->passed(middle); j < behind.count; ++j)
        counts_.count(from, behind.sw[j], true);
    }
  }
  counts_.index_rows();
  lost_ = 0;
  for (std::uint32_t to = 0; to < arcs_.switches; ++to)
    for (std::uint32_t from = 0; from < arcs_.switches; ++from)
      if (counts_.has(from, to, true, 0) || counts_.has(from, to, false, 0))
        lost_ += worth(from, to);
}

const Order& Pairs::order() {
  const auto sequence = placed_->renumber();
  order_.resize(arcs_.count());
  for (std::uint32_t i = 0; i < arcs_.count(); ++i) order_[sequence[i]] = i;
  return order_;
}

void Pairs::sweep(double noise, Rng& rng) {
  const auto most = static_cast<std::int64_t>(noise * mean_worth_);
  for (const std::uint32_t arc : placed_->renumber()) move(arc, most, rng);
}

/// Collects the neighbors of the arc by position, and the switches beyond them.
void Pairs::gather(std::uint32_t arc) {
  const PlacedArcs& placed = *placed_;
  const std::uint32_t tail = arcs_.tail[arc];
  const std::uint32_t head = arcs_.head[arc];
  const Place place = placed[arc];
  before_own_ = 0;
  behind_own_ = 0;
  const auto before = placed.into(tail);
  before_.resize(before.count);
  Neighbor* next = before_.data();
  for (std::uint32_t i = 0; i < before.count; ++i) {
    const std::uint32_t in = before.arc[i];
    const std::uint32_t sw = before.sw[i];
    *next = {placed[in], sw, 0, placed.into(sw).sw, placed.before(in)};
    before_own_ += (sw != head && next->place < place) ? 1 : 0;
    next += sw != head ? 1 : 0;
  }
  before_.pop_back();
  const auto behind = placed.out_of(head);
  behind_.resize(behind.count);
  next = behind_.data();
  for (std::uint32_t i = 0; i < behind.count; ++i) {
    const std::uint32_t out = behind.arc[i];
    const std::uint32_t sw = behind.sw[i];
    const auto beyond = placed.out_of(sw);
    const std::uint32_t passed = placed.passed(out);
    *next = {placed[out], sw, 0, beyond.sw + passed, beyond.count - passed};
    behind_own_ += (sw != tail && next->place <= place) ? 1 : 0;
    next += sw != tail ? 1 : 0;
  }
  behind_.pop_back();
  merge();
}

/// Numbers the neighbors by position. At equal positions the arcs that must precede the arc are
/// first. The loop has no branches, because the order is unpredictable.
void Pairs::merge() {
  constexpr Place kEnd = std::numeric_limits<Place>::max();
  const std::size_t count = before_.size() + behind_.size();
  before_.push_back({kEnd});
  behind_.push_back({kEnd});
  places_.resize(count + 2);
  Neighbor* in = before_.data();
  Neighbor* out = behind_.data();
  Place* const places = places_.data() + 1;
  for (std::uint32_t number = 0; number < count; ++number) {
    in->number = number;
    out->number = number;
    const bool is_in = in->place <= out->place;
    places[number] = is_in ? in->place : out->place;
    in += is_in ? 1 : 0;
    out += is_in ? 0 : 1;
  }
  before_.pop_back();
  behind_.pop_back();
  places_.front() = 0;
  places_.back() = placed_->end();
}

/// The range of positions that keeps the turns between needed arcs.
std::pair<Place, Place> Pairs::limits(std::uint32_t arc) const {
  Place low = 0;
  Place high = placed_->end();
  if (needed_.empty() || needed_[arc] == 0) return {low, high};
  const std::uint32_t tail = arcs_.tail[arc];
  const std::uint32_t head = arcs_.head[arc];
  for (std::uint32_t i = arcs_.begin[tail]; i < arcs_.begin[tail + 1]; ++i)
    if (i != arc && needed_[arcs_.reverse[i]] != 0)
      low = std::max(low, (*placed_)[arcs_.reverse[i]]);
  for (std::uint32_t i = arcs_.begin[head]; i < arcs_.begin[head + 1]; ++i)
    if (i != arcs_.reverse[arc] && needed_[i] != 0) high = std::min(high, (*placed_)[i]);
  return {low, high};
}

/// Computes the gain of each position relative to a position that allows no path over the arc.
/// Current paths over the arc are not counted.
void Pairs::weigh(std::uint32_t arc) {
  gains_.assign(places_.size(), 0);
  turn_gains_.assign(places_.size(), 0);
  for (const Neighbor& in : before_) turn_gains_[in.number + 1] += open_turn_;
  for (const Neighbor& out : behind_) turn_gains_[out.number + 1] -= open_turn_;
  weigh_before(arcs_.head[arc]);
  weigh_behind(arcs_.tail[arc]);
  weigh_across();
}

/// Lists the ends of the paths of three arcs, in the order of `nearest`.
template <class Nearest>
void Pairs::list_ends(Nearest nearest, std::size_t neighbors, std::size_t own) {
  std::uint16_t* const sw = ends_.data();
  std::uint16_t* const position = end_positions_.data();
  std::size_t count = 0;
  own_ends_ = 0;
  for (std::size_t k = 0; k < neighbors; ++k, ++nearest) {
    const Neighbor& neighbor = *nearest;
    // Copies whole blocks, because the number of ends is unpredictable; the ends of the next
    // neighbor overwrite the rest.
    std::size_t i = 0;
    do {
      std::memcpy(sw + count + i, neighbor.far + i, sizeof(std::uint16_t[PlacedArcs::kBlock]));
      std::fill_n(position + count + i, PlacedArcs::kBlock,
                  static_cast<std::uint16_t>(neighbor.number + 1));
      i += PlacedArcs::kBlock;
    } while (i < neighbor.far_count);
    count += neighbor.far_count;
    own_ends_ = k < own ? count : own_ends_;
  }
  ends_count_ = count;
}

/// Finds the listed pairs without a path that avoids the arc: pairs without any path, and pairs
/// with no path except those over the arc. has(switch, number): true if the pair has this number of
/// paths.
template <class Has>
void Pairs::find_open(PairCounts::Row row, const Has& has) {
  std::uint64_t* const seen = seen_.data();
  std::uint16_t* const again = again_.data();
  std::ranges::fill(seen_, 0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < own_ends_; ++i) {
    const std::uint16_t sw = ends_.data()[i];
    const std::uint64_t word = seen[sw / 64];
    again[count] = sw;
    count += word >> sw % 64 & 1;
    seen[sw / 64] = word | std::uint64_t{1} << sw % 64;
  }
  std::uint64_t* const open = open_.data();
  for (std::size_t w = 0; w < open_.size(); ++w) open[w] = row.none[w] | (row.few[w] & seen[w]);
  for (std::size_t i = 0; i < count; ++i) ++further_.data()[again[i]];
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t& further = further_.data()[again[i]];
    if (further > 0 && has(again[i], further + 1))
      open[again[i] / 64] |= std::uint64_t{1} << again[i] % 64;
    further = 0;
  }
}

/// Adds the value of each open pair of `sw` to the first listed position that allows a path of the
/// pair, and returns the sum of the values.
std::int64_t Pairs::close(std::uint32_t sw, std::int64_t sign) {
  std::uint64_t* const open = open_.data();
  const std::uint16_t* const ends = ends_.data();
  const std::uint16_t* const positions = end_positions_.data();
  std::uint32_t* const hits = hits_.data();
  std::size_t count = 0;
  // The loop has no branches, because it is unpredictable which pairs are open.
  for (std::size_t i = 0; i < ends_count_; ++i) {
    hits[count] = static_cast<std::uint32_t>(i);
    count += has(open, ends[i]) ? 1 : 0;
  }
  std::int64_t* const gains = gains_.data();
  std::int64_t sum = 0;
  for (std::size_t h = 0; h < count; ++h) {
    const std::uint16_t end = ends[hits[h]];
    const std::uint64_t word = open[end / 64];
    const std::int64_t value = worth(end, sw) & -static_cast<std::int64_t>(word >> end % 64 & 1);
    open[end / 64] = word & ~(std::uint64_t{1} << end % 64);
    gains[positions[hits[h]]] += sign * value;
    sum += value;
  }
  return sum;
}

/// Adds the gains of paths that end with the arc. One path is sufficient for a pair, so the first
/// neighbor with a path of the pair counts.
void Pairs::weigh_before(std::uint32_t head) {
  list_ends(before_.begin(), before_.size(), before_own_);
  find_open(counts_.to(head, true), [&](std::uint32_t from, std::uint32_t paths) {
    return counts_.has(from, head, true, paths);
  });
  close(head, 1);
  const auto row = counts_.to(head, false);
  for (std::size_t k = 0; k < before_.size(); ++k) {
    const Neighbor& in = before_.data()[k];
    const bool open = has(k < before_own_ ? row.few : row.none, in.sw);
    gains_.data()[in.number + 1] += open ? worth(in.sw, head) : 0;
  }
}

/// Adds the gains of paths that begin with the arc. One path is sufficient for a pair, so the last
/// neighbor with a path of the pair counts.
void Pairs::weigh_behind(std::uint32_t tail) {
  list_ends(behind_.rbegin(), behind_.size(), behind_.size() - behind_own_);
  find_open(counts_.from(tail, true), [&](std::uint32_t to, std::uint32_t paths) {
    return counts_.has(tail, to, true, paths);
  });
  std::int64_t sum = close(tail, -1);
  const auto row = counts_.from(tail, false);
  for (std::size_t k = 0; k < behind_.size(); ++k) {
    const Neighbor& out = behind_.data()[k];
    const bool open = has(k < behind_own_ ? row.none : row.few, out.sw);
    const std::int64_t value = open ? worth(tail, out.sw) : 0;
    gains_.data()[out.number + 1] -= value;
    sum += value;
  }
  gains_.front() += sum;
}

/// Adds the gains of paths with the arc in the middle. A pair has only one such path.
void Pairs::weigh_across() {
  std::int64_t* const gains = gains_.data();
  std::uint32_t* const hits = hits_.data();
  const Neighbor* const before = before_.data();
  for (std::size_t k = 0; k < behind_.size(); ++k) {
    const Neighbor& out = behind_.data()[k];
    const auto row = counts_.to(out.sw, true);
    const std::size_t own = k < behind_own_ ? 0 : before_own_;
    const std::size_t end = out.number - k;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < end; ++i) {
      const std::uint32_t sw = before[i].sw;
      hits[count] = i;
      count += has(i < own ? row.few : row.none, sw) ? 1 : 0;
    }
    std::int64_t sum = 0;
    for (std::size_t h = 0; h < count; ++h) {
      const Neighbor& in = before[hits[h]];
      const std::int64_t value = worth(in.sw, out.sw);
      gains[in.number + 1] += value;
      sum += value;
    }
    gains[out.number + 1] -= sum;
  }
}

/// Moves the arc, and counts the paths that become allowed or forbidden.
void Pairs::move_to(std::uint32_t arc, Place place) {
  const std::uint32_t tail = arcs_.tail[arc];
  const std::uint32_t head = arcs_.head[arc];
  const std::span<const Neighbor> before(before_);
  const std::span<const Neighbor> behind(behind_);
  const auto earlier = [&](const Neighbor& neighbor) { return neighbor.place < place; };
  const auto own = static_cast<std::size_t>(std::ranges::count_if(before, earlier));
  const auto passed = static_cast<std::size_t>(std::ranges::count_if(behind, earlier));
  const bool later = place > (*placed_)[arc];
  const auto between = [](std::span<const Neighbor> all, std::size_t a, std::size_t b) {
    return all.subspan(std::min(a, b), std::max(a, b) - std::min(a, b));
  };
  const auto ins = between(before, before_own_, own);
  const auto outs = between(behind, behind_own_, passed);
  for (const Neighbor& in : ins) {
    counts_.change(in.sw, head, false, later);
    for (const std::uint16_t from : in.ends()) counts_.change(from, head, true, later);
    for (const Neighbor& out : behind.subspan(std::max(passed, behind_own_)))
      counts_.change(in.sw, out.sw, true, later);
  }
  for (const Neighbor& out : outs) {
    counts_.change(tail, out.sw, false, !later);
    for (const std::uint16_t to : out.ends()) counts_.change(tail, to, true, !later);
    for (const Neighbor& in : before.first(std::min(own, before_own_)))
      counts_.change(in.sw, out.sw, true, !later);
  }
  placed_->move(arc, place);
}

void Pairs::move(std::uint32_t arc, std::int64_t noise, Rng& rng) {
  gather(arc);
  if (places_.size() == 2) return;
  weigh(arc);
  const Place* const places = places_.data();
  const std::size_t count = places_.size();
  const std::size_t here = before_own_ + behind_own_;
  const auto [low, high] = limits(arc);
  std::size_t best = here;
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  std::int64_t gained_best = 0;
  std::int64_t gained_here = 0;
  std::int64_t gained = 0;
  std::int64_t gained_by_turns = 0;
  const std::int64_t* const turn_gains = turn_gains_.data();
  const std::int64_t* const gains = gains_.data();
  for (std::size_t k = 0; k + 1 < count; ++k) {
    gained_by_turns += turn_gains[k];
    gained += gains[k];
    if (k == here) gained_here = gained;
    const bool free = places[k] >= low && places[k + 1] <= high && places[k] + 2 <= places[k + 1];
    if (k != here && !free) continue;
    const std::int64_t total = gained + gained_by_turns + draw_noise(noise, rng);
    if (total < most || (total == most && k != here)) continue;
    most = total;
    best = k;
    gained_best = gained;
  }
  if (best == here) return;
  move_to(arc, places_[best] + (places_[best + 1] - places_[best]) / 2);
  lost_ += gained_here - gained_best;
}

bool improve_by_sweeps(Pairs& pairs, double noise, Rng& rng, Order& order) {
  pairs.start(order);
  const std::int64_t lost = pairs.lost();
  const std::uint64_t sweeps = std::min<std::uint64_t>(
      std::clamp((std::max(pairs.switches(), kSwitchesFew) - kSwitchesFew) / kSwitchesPerSweep,
                 kSweepsLeast, kSweepsMost),
      kStepsMost / pairs.sweep_steps() + 1);
  for (std::uint64_t i = 0; i < sweeps && pairs.lost() > 0; ++i)
    pairs.sweep(noise * static_cast<double>(sweeps - 1 - i) / static_cast<double>(sweeps), rng);
  if (pairs.lost() >= lost) return false;
  order = pairs.order();
  return true;
}

}  // namespace weft::nue
