// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/acyclic_turns.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace weft {

AcyclicTurns::AcyclicTurns(const Turns& turns, std::uint64_t search_limit)
    : turns_(&turns),
      visits_left_(search_limit),
      count_(turns.count(), 0),
      out_(turns),
      in_(turns),
      place_(turns.channel_count()),
      seen_(turns.channel_count(), 0) {
  std::iota(place_.begin(), place_.end(), 0u);
}

AcyclicTurns::AcyclicTurns(const Turns& turns, std::vector<std::uint32_t> place,
                           std::uint64_t search_limit)
    : AcyclicTurns(turns, search_limit) {
  CHECK(place.size() == place_.size());
  place_ = std::move(place);
}

AcyclicTurns::AcyclicTurns(const Turns& turns, const TurnSet& held,
                           std::span<const std::uint32_t> order)
    : AcyclicTurns(turns) {
  CHECK(order.size() == turns.channel_count());
  for (std::uint32_t place = 0; place < order.size(); ++place) place_[order[place]] = place;
  out_ = held;
  for (std::uint32_t in = 0; in < order.size(); ++in)
    held.each_out(in, [&](std::uint32_t out) {
      count_[turns.turn(in, out)] = 1;
      in_.add(turns.reverse(out), turns.reverse(in));
      return true;
    });
}

bool AcyclicTurns::add_path(std::span<const std::uint32_t> channels) {
  for (std::size_t i = 0; i + 1 < channels.size(); ++i) {
    if (add(channels[i], channels[i + 1])) continue;
    remove_path(channels.first(i + 1));
    return false;
  }
  return true;
}

void AcyclicTurns::remove_path(std::span<const std::uint32_t> channels) {
  for (std::size_t i = 0; i + 1 < channels.size(); ++i) remove(channels[i], channels[i + 1]);
}

bool AcyclicTurns::add(std::uint32_t in, std::uint32_t out) {
  std::uint32_t& count = count_[turns_->turn(in, out)];
  if (count == 0) {
    if (place_[in] >= place_[out] && !restore_order(in, out)) return false;
    out_.add(in, out);
    in_.add(turns_->reverse(out), turns_->reverse(in));
  }
  ++count;
  return true;
}

void AcyclicTurns::remove(std::uint32_t in, std::uint32_t out) {
  std::uint32_t& count = count_[turns_->turn(in, out)];
  CHECK(count > 0);
  if (--count > 0) return;
  out_.remove(in, out);
  in_.remove(turns_->reverse(out), turns_->reverse(in));
}

/// Changes the order so that `out` follows `in`. Returns false if `out` must precede `in`, or if
/// the search limit is reached.
bool AcyclicTurns::restore_order(std::uint32_t in, std::uint32_t out) {
  if (visits_left_ == 0) return false;
  ahead_.clear();
  behind_.clear();
  const bool free = in != out && search_forward(out, in);
  if (free) {
    search_backward(in, place_[out]);
    reorder();
  }
  ++searches_;
  refusals_ += free ? 0 : 1;
  visits_left_ -= std::min<std::uint64_t>(visits_left_, ahead_.size() + behind_.size());
  for (const std::uint32_t c : ahead_) seen_[c] = 0;
  for (const std::uint32_t c : behind_) seen_[c] = 0;
  return free;
}

bool AcyclicTurns::search_forward(std::uint32_t from, std::uint32_t target) {
  const std::uint32_t highest = place_[target];
  stack_.assign(1, from);
  ahead_.push_back(from);
  seen_[from] = 1;
  while (!stack_.empty()) {
    const std::uint32_t at = stack_.back();
    stack_.pop_back();
    const bool open = out_.each_out(at, [&](std::uint32_t next) {
      if (next == target) return false;
      if (seen_[next] != 0 || place_[next] > highest) return true;
      seen_[next] = 1;
      ahead_.push_back(next);
      stack_.push_back(next);
      return true;
    });
    if (!open) return false;
  }
  return true;
}

void AcyclicTurns::search_backward(std::uint32_t from, std::uint32_t lowest) {
  stack_.assign(1, from);
  behind_.push_back(from);
  seen_[from] = 1;
  while (!stack_.empty()) {
    const std::uint32_t at = stack_.back();
    stack_.pop_back();
    in_.each_out(turns_->reverse(at), [&](std::uint32_t reversed) {
      const std::uint32_t before = turns_->reverse(reversed);
      if (seen_[before] != 0 || place_[before] < lowest) return true;
      seen_[before] = 1;
      behind_.push_back(before);
      stack_.push_back(before);
      return true;
    });
  }
}

/// Redistributes the positions of the found channels: first to the channels in behind_, then to the
/// channels in ahead_. The previous order within both lists does not change.
void AcyclicTurns::reorder() {
  const auto sort_by_place = [&](std::span<const std::uint32_t> channels, auto& sorted) {
    sorted.clear();
    for (const std::uint32_t c : channels) sorted.push_back(std::uint64_t{place_[c]} << 32 | c);
    std::ranges::sort(sorted);
  };
  sort_by_place(behind_, sorted_behind_);
  sort_by_place(ahead_, sorted_ahead_);
  places_.clear();
  std::ranges::merge(sorted_behind_, sorted_ahead_, std::back_inserter(places_));
  std::size_t next = 0;
  const auto assign_place = [&](std::uint64_t placed) {
    place_[static_cast<std::uint32_t>(placed)] = static_cast<std::uint32_t>(places_[next++] >> 32);
  };
  std::ranges::for_each(sorted_behind_, assign_place);
  std::ranges::for_each(sorted_ahead_, assign_place);
}

}  // namespace weft
