// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/trees/hops.h"

#include <algorithm>
#include <atomic>

#include "base/parallel.h"

namespace weft::ftree {
namespace {

/// Sets into[i] to the lesser of into[i] and from[i] + 1; a kUnreachable from[i] is ignored.
/// Returns true if any element changed.
bool relax(std::uint8_t* __restrict into, const std::uint8_t* __restrict from, std::size_t count) {
  std::uint8_t changed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto more = static_cast<std::uint8_t>(from[i] + (from[i] != Hops::kUnreachable));
    const std::uint8_t least = std::min(into[i], more);
    changed = static_cast<std::uint8_t>(changed | (least ^ into[i]));
    into[i] = least;
  }
  return changed != 0;
}

/// Copies elements of `prefer` that are not kUnreachable into `into`.
void keep(std::uint8_t* __restrict into, const std::uint8_t* __restrict prefer, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    into[i] = prefer[i] != Hops::kUnreachable ? prefer[i] : into[i];
}

constexpr std::size_t kGrain = 8;

}  // namespace

/// Updates the row of a set from the rows of its neighbors. Returns true if it changed. Equivalent
/// neighbors are mostly adjacent in `groups`, so their row is read once.
bool Hops::update_row(std::vector<std::uint8_t>& rows, std::uint32_t set,
                      std::span<const Group> groups) {
  bool changed = false;
  std::uint32_t before = set;
  for (const Group& group : groups) {
    const std::uint32_t to = equivalents_.set_of(group.to);
    if (to != before)
      changed = relax(&rows[set * stride_], &rows[to * stride_], columns_) || changed;
    before = to;
  }
  return changed;
}

/// Adds paths that go up after going down, until no such path is shorter than a known path. Few
/// rounds are necessary, since each round processes all levels in both directions.
void Hops::shorten(std::span<const std::vector<std::uint32_t>> levels, unsigned threads) {
  shortest_ = all_;
  for (std::atomic<bool> changed = true; changed;) {
    changed = false;
    const auto update_level = [&](const std::vector<std::uint32_t>& sets, bool upward) {
      parallel_for(
          sets.size(), threads,
          [&](std::size_t i) {
            const std::uint32_t sw = equivalents_.first(sets[i]);
            if (update_row(shortest_, sets[i], upward ? tree_.down(sw) : tree_.up(sw)))
              changed = true;
          },
          kGrain);
    };
    for (std::size_t l = 0; l < levels.size(); ++l) update_level(levels[l], true);
    for (std::size_t l = levels.size(); l-- > 0;) update_level(levels[l], false);
  }
}

void Hops::compute(std::uint32_t first, std::uint32_t count, unsigned threads) {
  columns_ = count;
  for (std::uint32_t set = 0; set < equivalents_.sets(); ++set)
    for (auto* rows : {&down_, &all_}) {
      std::fill_n(rows->begin() + static_cast<std::ptrdiff_t>(set * stride_), count, kUnreachable);
      if (set >= first && set < first + count) (*rows)[set * stride_ + set - first] = 0;
    }

  std::vector<std::vector<std::uint32_t>> levels;  // the sets of each level, the lowest level first
  for (const auto& switches : tree_.levels()) {
    levels.emplace_back();
    for (const std::uint32_t s : switches)
      if (equivalents_.first(equivalents_.set_of(s)) == s)
        levels.back().push_back(equivalents_.set_of(s));
  }
  for (const auto& sets : levels)
    parallel_for(
        sets.size(), threads,
        [&](std::size_t i) { update_row(down_, sets[i], tree_.down(equivalents_.first(sets[i]))); },
        kGrain);
  for (std::size_t l = levels.size(); l-- > 0;)
    parallel_for(
        levels[l].size(), threads,
        [&](std::size_t i) {
          const std::uint32_t set = levels[l][i];
          update_row(all_, set, tree_.up(equivalents_.first(set)));
          keep(&all_[set * stride_], &down_[set * stride_], count);
        },
        kGrain);
  if (paths_ == Paths::kShortest) shorten(levels, threads);
}

}  // namespace weft::ftree
