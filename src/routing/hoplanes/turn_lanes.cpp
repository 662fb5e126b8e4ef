// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/hoplanes/turn_lanes.h"

#include <algorithm>
#include <bit>

namespace weft::hoplanes {

TurnRows::TurnRows(const Turns& turns) : turns_(&turns) {
  begin_.reserve(turns.count() + std::size_t{1});
  begin_.push_back(0);
  for (std::uint32_t in = 0; in < turns.channel_count(); ++in)
    for (std::uint32_t i = 0; i < turns.outs(in); ++i)
      begin_.push_back(begin_.back() + (turns.outs(turns.first_out(in) + i) + 63) / 64);
}

TurnLanes::TurnLanes(const TurnRows& rows, std::span<const std::uint32_t> place, unsigned lanes)
    : rows_(rows),
      turns_(rows.turns()),
      place_(place),
      lanes_(lanes),
      lane_(turns_.count(), 0),
      next_(rows.words(), 0) {}

bool TurnLanes::add(std::span<const std::vector<std::uint32_t>> paths) {
  raised_.clear();
  followed_.clear();
  const bool fits = std::ranges::all_of(paths, [&](const auto& path) { return add_path(path); });
  if (!fits) undo();
  return fits;
}

bool TurnLanes::add_path(std::span<const std::uint32_t> path) {
  unsigned lane = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const std::uint32_t in = path[i - 1], out = path[i];
    // Must precede raise(), so that the lanes along a cycle of turns rise until they exceed the
    // limit.
    if (i > 1) follow(turns_.turn(path[i - 2], in), out - turns_.first_out(in));
    if (!raise({in, out, lane + rise(in, out)})) return false;
    lane = lane_[turns_.turn(in, out)];
  }
  return true;
}

void TurnLanes::follow(std::uint32_t turn, std::uint32_t next_index) {
  const std::size_t word = rows_.begin(turn) + next_index / 64;
  const std::uint64_t bit = std::uint64_t{1} << (next_index % 64);
  if ((next_[word] & bit) != 0) return;
  next_[word] |= bit;
  followed_.emplace_back(word, bit);
}

bool TurnLanes::raise(Raise first) {
  open_.assign(1, first);
  while (!open_.empty()) {
    const auto [in, out, lane] = open_.back();
    open_.pop_back();
    const std::uint32_t turn = turns_.turn(in, out);
    if (lane_[turn] >= lane) continue;
    if (lane >= lanes_) return false;
    raised_.emplace_back(turn, lane_[turn]);
    lane_[turn] = static_cast<std::uint8_t>(lane);
    std::uint32_t base = turns_.first_out(out);
    for (std::size_t w = rows_.begin(turn); w < rows_.begin(turn + 1); ++w, base += 64)
      for (std::uint64_t bits = next_[w]; bits != 0; bits &= bits - 1) {
        const std::uint32_t next = base + static_cast<std::uint32_t>(std::countr_zero(bits));
        open_.push_back({out, next, lane + rise(out, next)});
      }
  }
  return true;
}

void TurnLanes::undo() {
  for (std::size_t i = raised_.size(); i-- > 0;) lane_[raised_[i].first] = raised_[i].second;
  for (const auto& [word, bit] : followed_) next_[word] &= ~bit;
}

}  // namespace weft::hoplanes
