// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/pairs.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "routing/nue/noise.h"

namespace weft::nue {
namespace {

constexpr std::uint32_t kSwitchesMost = 8192;  // the table of pairs has the square of it
constexpr std::size_t kGlance = 8;             // destinations sampled for distances
constexpr std::uint32_t kSwitchesFew = 32;
constexpr std::uint32_t kSwitchesPerSweep = 28;  // one more sweep for so many switches
constexpr std::uint32_t kSweepsLeast = 3;
constexpr std::uint32_t kSweepsMost = 10;
constexpr std::uint64_t kStepsMost = 250'000'000;  // limit for all sweeps
constexpr double kOpenTurn = 0.25;  // value of an allowed turn in mean pairs, for better balance

}  // namespace

Pairs::Pairs(const Arcs& arcs, std::span<const std::uint32_t> weight,
             std::span<const std::uint32_t> destinations, const Demand& demand)
    : arcs_(arcs), weight_(weight), demand_(demand) {
  const std::size_t degree = arcs.degree_max();
  if (degree * degree > kPathsMask || arcs.switches > kSwitchesMost ||
      arcs.count() >= 1u << (31 - kGapShift))
    return;
  const auto sources = static_cast<std::uint64_t>(
      std::ranges::count_if(weight, [](std::uint32_t of) { return of > 0; }));
  const auto nearly_all = [&](std::uint64_t near, std::uint64_t targets) {
    const std::uint64_t all = sources * targets;
    return near >= all - all / 10;
  };
  std::vector<std::uint32_t> glance;
  for (std::size_t i = 0; i < destinations.size(); i += destinations.size() / kGlance + 1)
    glance.push_back(destinations[i]);
  if (!nearly_all(measure(glance), glance.size())) return;
  cells_.assign(std::size_t{arcs.switches} * arcs.switches, 0);
  complete_ = nearly_all(measure(destinations), destinations.size());
  place_.resize(arcs.count());
  back_.resize(arcs.count());
  sequence_.resize(arcs.count());
  counted_.resize(2 * degree + 3 * degree * degree + 1);
  std::uint64_t counted = 0;
  double sum = 0;
  for (const std::uint32_t to : destinations)
    for (std::uint32_t from = 0; from < arcs.switches; ++from) {
      if (row(to)[from] == 0) continue;
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

/// Counts sources within three hops of the destinations; stores them if there is a table.
std::uint64_t Pairs::measure(std::span<const std::uint32_t> destinations) {
  std::uint64_t near = 0;
  std::vector<std::uint8_t> seen_by_switch(arcs_.switches, 0);  // hops + 1
  std::vector<std::uint32_t> found(arcs_.switches);
  // Local copies, so that the stores do not force a reload.
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
      if (weight_[sw] > 0 && seen[sw] > 2 && !cells_.empty() &&
          demand_.has(arcs_.switches, destination, sw))
        row(destination)[sw] = seen[sw] == 3 ? kTwo : kThree;
      seen[sw] = 0;
    }
  }
  return near;
}

void Pairs::start(const Order& order) {
  CHECK(complete_);
  for (std::uint32_t a = 0; a < arcs_.count(); ++a) put(a, gap(order[a]));
  for (Cell& cell : cells_) cell = static_cast<Cell>(cell & ~kPathsMask);
  // No branches, because which paths are allowed is unpredictable.
  for (std::uint32_t v = 0; v < arcs_.switches; ++v) {
    for (std::uint32_t in = arcs_.begin[v]; in < arcs_.begin[v + 1]; ++in) {
      const std::uint32_t from = arcs_.head[in];
      const Place before = back_[in];
      for (std::uint32_t out = arcs_.begin[v]; out < arcs_.begin[v + 1]; ++out) {
        const Place behind = place_[out];
        if (before >= behind) continue;
        const std::uint32_t to = arcs_.head[out];
        Cell& two = row(to)[from];
        two = static_cast<Cell>(two + ((two & kThree) == kTwo ? 1 : 0));
        const std::uint32_t end = arcs_.begin[to + 1];
        for (std::uint32_t a = arcs_.begin[to]; a < end; ++a) {
          Cell& three = row(arcs_.head[a])[from];
          three =
              static_cast<Cell>(three + (unsigned{three >= kThree} & unsigned{behind < place_[a]}));
        }
      }
    }
  }
  lost_ = 0;
  for (std::uint32_t to = 0; to < arcs_.switches; ++to)
    for (std::uint32_t from = 0; from < arcs_.switches; ++from)
      if (const Cell cell = row(to)[from]; cell == kTwo || cell == kThree) lost_ += worth(from, to);
}

void Pairs::put(std::uint32_t arc, Place place) {
  place_[arc] = place;
  back_[arcs_.reverse[arc]] = place;
}

/// Positions as whole numbers again.
void Pairs::renumber() {
  for (std::uint32_t a = 0; a < arcs_.count(); ++a) sequence_[a] = {place_[a], a};
  std::ranges::sort(sequence_);
  for (std::uint32_t i = 0; i < arcs_.count(); ++i) put(sequence_[i].second, gap(i));
}

const Order& Pairs::order() {
  renumber();
  order_.resize(arcs_.count());
  for (std::uint32_t i = 0; i < arcs_.count(); ++i) order_[sequence_[i].second] = i;
  return order_;
}

void Pairs::sweep(double noise, Rng& rng) {
  const auto most = static_cast<std::int64_t>(noise * mean_worth_);
  renumber();
  for (const auto& [place, arc] : sequence_) move(arc, most, rng);
}

/// Calls found(cell, whether it counts) for every path over an arc that is allowed in its current
/// position.
template <class Found>
void Pairs::for_each_path(std::uint32_t arc, const Found& found) {
  // Local copies, so that the stores of `found` do not force a reload.
  const std::uint32_t* const begin = arcs_.begin.data();
  const std::uint32_t* const head = arcs_.head.data();
  const Place* const places = place_.data();
  const Place* const backs = back_.data();
  const Cell* const cells = cells_.data();
  const std::uint32_t switches = arcs_.switches;
  const Place place = places[arc];
  const std::uint32_t tail = arcs_.tail[arc];
  const std::uint32_t middle = head[arc];
  const std::uint32_t tail_begin = begin[tail];
  const std::uint32_t tail_end = begin[tail + 1];
  const std::uint32_t middle_end = begin[middle + 1];
  const std::uint32_t to_middle = middle * switches;
  for (std::uint32_t i = tail_begin; i < tail_end; ++i) {
    const Place before = backs[i];
    if (before >= place) continue;
    const std::uint32_t from = head[i];
    found(to_middle + from, unsigned{(cells[to_middle + from] & kThree) == kTwo});
    const std::uint32_t end = begin[from + 1];
    for (std::uint32_t j = begin[from]; j < end; ++j) {
      const std::uint32_t cell = to_middle + head[j];
      found(cell, unsigned{cells[cell] >= kThree} & unsigned{backs[j] < before});
    }
  }
  for (std::uint32_t i = begin[middle]; i < middle_end; ++i) {
    const Place behind = places[i];
    if (behind <= place) continue;
    const std::uint32_t to = head[i];
    const std::uint32_t to_next = to * switches;
    found(to_next + tail, unsigned{(cells[to_next + tail] & kThree) == kTwo});
    for (std::uint32_t j = tail_begin; j < tail_end; ++j) {
      const std::uint32_t cell = to_next + head[j];
      found(cell, unsigned{cells[cell] >= kThree} & unsigned{backs[j] < place});
    }
    const std::uint32_t end = begin[to + 1];
    for (std::uint32_t j = begin[to]; j < end; ++j) {
      const std::uint32_t cell = head[j] * switches + tail;
      found(cell, unsigned{cells[cell] >= kThree} & unsigned{places[j] > behind});
    }
  }
}

void Pairs::take_out(std::uint32_t arc) {
  Cell* const cells = cells_.data();
  std::uint32_t* const counted = counted_.data();
  std::size_t count = 0;
  for_each_path(arc, [&](std::uint32_t cell, unsigned counts) {
    counted[count] = cell;
    count += counts;
    cells[cell] = static_cast<Cell>(cells[cell] - counts);
  });
  count_ = count;
}

void Pairs::put_back(std::uint32_t arc) {
  Cell* const cells = cells_.data();
  for_each_path(arc, [&](std::uint32_t cell, unsigned counts) {
    cells[cell] = static_cast<Cell>(cells[cell] + counts);
  });
}

namespace {

/// How many are below a position, without branches, four at once.
std::uint32_t below(std::span<const std::uint32_t> places, std::uint32_t place) {
  std::int32_t count = 0;
  for (const std::uint32_t other : places)
    count += static_cast<std::int32_t>(other) < static_cast<std::int32_t>(place) ? 1 : 0;
  return static_cast<std::uint32_t>(count);
}

}  // namespace

/// Sorts the neighbours by position. They are few: counting those before each avoids unpredictable
/// branches.
void Pairs::gather(std::uint32_t arc) {
  const std::uint32_t tail = arcs_.tail[arc];
  const std::uint32_t head = arcs_.head[arc];
  const auto note = [this](const Place* places, std::uint32_t begin, std::uint32_t skipped,
                           std::uint32_t end, Unsorted& unsorted) {
    unsorted.place.resize(end - begin - 1);
    unsorted.sw.resize(end - begin - 1);
    Place* place = unsorted.place.data();
    std::uint32_t* sw = unsorted.sw.data();
    const std::uint32_t* const heads = arcs_.head.data();
    for (std::uint32_t i = begin; i < end; ++i) {
      if (i == skipped) continue;
      *place++ = places[i];
      *sw++ = heads[i];
    }
  };
  note(back_.data(), arcs_.begin[tail], arc, arcs_.begin[tail + 1], ahead_);
  note(place_.data(), arcs_.begin[head], arcs_.reverse[arc], arcs_.begin[head + 1], after_);
  places_.resize(ahead_.place.size() + after_.place.size() + 2);
  places_.front() = 0;
  places_.back() = gap(arcs_.count());
  // Equal positions stay in order of arrival, those that must come before the arc first.
  const auto put_in = [this](const Unsorted& own, std::span<const Place> others, unsigned ties,
                             std::vector<Neighbour>& sorted) {
    const std::span places(own.place);
    sorted.resize(places.size());
    Neighbour* const into = sorted.data();
    Place* const by_rank = places_.data() + 1;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Place place = places[i];
      const std::uint32_t at = below(places.first(i), place + 1) + below(places.subspan(i), place);
      const std::uint32_t rank = at + below(others, place + ties);
      into[at] = {place, own.sw[i], rank};
      by_rank[rank] = place;
    }
  };
  put_in(ahead_, after_.place, 0, before_);
  put_in(after_, ahead_.place, 1, behind_);
}

/// The limits of the arc's position.
std::pair<Pairs::Place, Pairs::Place> Pairs::limits(std::uint32_t arc) const {
  Place low = 0;
  Place high = gap(arcs_.count());
  if (needed_.empty() || needed_[arc] == 0) return {low, high};
  const std::uint32_t tail = arcs_.tail[arc];
  const std::uint32_t head = arcs_.head[arc];
  for (std::uint32_t i = arcs_.begin[tail]; i < arcs_.begin[tail + 1]; ++i)
    if (i != arc && needed_[arcs_.reverse[i]] != 0) low = std::max(low, back_[i]);
  for (std::uint32_t i = arcs_.begin[head]; i < arcs_.begin[head + 1]; ++i)
    if (i != arcs_.reverse[arc] && needed_[i] != 0) high = std::min(high, place_[i]);
  return {low, high};
}

/// Gain of each position over one where no path over the arc is allowed, with its paths not
/// counted.
void Pairs::weigh(std::uint32_t arc) {
  gains_.assign(places_.size(), 0);
  turn_gains_.assign(places_.size(), 0);
  for (const Neighbour& in : before_) turn_gains_[in.rank + 1] += open_turn_;
  for (const Neighbour& out : behind_) turn_gains_[out.rank + 1] -= open_turn_;
  weigh_before(arcs_.head[arc]);
  weigh_behind(arcs_.tail[arc]);
  weigh_across();
}

/// Paths that end with the arc: one neighbour that serves a pair is sufficient, so the first
/// counts.
void Pairs::weigh_before(std::uint32_t head) {
  Cell* const cells = row(head);
  const std::uint32_t* const heads = arcs_.head.data();
  const Place* const backs = back_.data();
  const std::size_t last = places_.size() - 2;
  for (const Neighbour& in : before_) {
    if (cells[in.sw] == kTwo) gain(in.rank + 1, last, worth(in.sw, head));
    const std::uint32_t end = arcs_.begin[in.sw + 1];
    for (std::uint32_t j = arcs_.begin[in.sw]; j < end; ++j) {
      const std::uint32_t from = heads[j];
      if (cells[from] != kThree || backs[j] >= in.place) continue;
      gain(in.rank + 1, last, worth(from, head));
      ++cells[from];
      marked_.push_back(&cells[from]);
    }
  }
  for (Cell* const cell : marked_) *cell = kThree;
  marked_.clear();
}

/// Paths that begin with the arc: one neighbour that serves a pair is sufficient, so the last
/// counts.
void Pairs::weigh_behind(std::uint32_t tail) {
  Cell* const cells = cells_.data() + tail;
  const std::uint32_t* const heads = arcs_.head.data();
  const Place* const places = place_.data();
  const std::size_t switches = arcs_.switches;
  for (std::size_t k = behind_.size(); k-- > 0;) {
    const Neighbour& out = behind_[k];
    if (cells[out.sw * switches] == kTwo) gain(0, out.rank, worth(tail, out.sw));
    const std::uint32_t end = arcs_.begin[out.sw + 1];
    for (std::uint32_t j = arcs_.begin[out.sw]; j < end; ++j) {
      const std::uint32_t to = heads[j];
      Cell& cell = cells[to * switches];
      if (cell != kThree || places[j] <= out.place) continue;
      gain(0, out.rank, worth(tail, to));
      ++cell;
      marked_.push_back(&cell);
    }
  }
  for (Cell* const cell : marked_) *cell = kThree;
  marked_.clear();
}

/// Paths with the arc in the middle; each serves its pair alone.
void Pairs::weigh_across() {
  for (const Neighbour& out : behind_) {
    const Cell* const cells = row(out.sw);
    for (const Neighbour& in : before_) {
      if (in.rank > out.rank) break;
      if (cells[in.sw] == kThree) gain(in.rank + 1, out.rank, worth(in.sw, out.sw));
    }
  }
}

void Pairs::move(std::uint32_t arc, std::int64_t noise, Rng& rng) {
  gather(arc);
  if (places_.size() == 2) return;
  take_out(arc);
  weigh(arc);
  const Place place = place_[arc];
  const Place* const places = places_.data();
  const std::size_t count = places_.size();
  const std::size_t here = below(std::span(places + 1, count - 2), place);
  const auto [low, high] = limits(arc);
  std::size_t best = here;
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  std::int64_t gained_best = 0;
  std::int64_t gained_here = 0;
  std::int64_t gained = 0;
  std::int64_t favour = 0;
  const std::int64_t* const turn_gains = turn_gains_.data();
  const std::int64_t* const gains = gains_.data();
  for (std::size_t k = 0; k + 1 < count; ++k) {
    favour += turn_gains[k];
    gained += gains[k];
    if (k == here) gained_here = gained;
    const bool free = places[k] >= low && places[k + 1] <= high && places[k] + 2 <= places[k + 1];
    if (k != here && !free) continue;
    const std::int64_t seems = gained + favour + draw_noise(noise, rng);
    if (seems < most || (seems == most && k != here)) continue;
    most = seems;
    best = k;
    gained_best = gained;
  }
  if (best == here) {
    for (std::size_t i = 0; i < count_; ++i) ++cells_.data()[counted_.data()[i]];
    return;
  }
  put(arc, places_[best] + (places_[best + 1] - places_[best]) / 2);
  put_back(arc);
  lost_ += gained_here - gained_best;
}

bool settle(Pairs& pairs, double noise, Rng& rng, Order& order) {
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
