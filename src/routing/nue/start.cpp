// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/start.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/processor.h"

namespace weft::nue {
namespace {

constexpr std::uint64_t kSteps = 20'000'000;  // limit of the steps for all trees
constexpr std::uint64_t kTreesLeast = 4;
constexpr std::uint64_t kTreesMost = 32;
constexpr std::uint64_t kLevels = 8;  // assumed diameter, to estimate the cost of a tree
constexpr std::size_t kTreesAtOnce = 8;
constexpr std::uint64_t kWordsAtOnce = 1 << 20;  // limit of the memory of trees evaluated together

/// The targets that each switch can reach within a number of hops (`now`), and within one hop fewer
/// (`before`). Each switch has a row of words with a bit for each target.
struct Reach {
  Reach(const Arcs& arcs, std::span<const std::uint32_t> targets)
      : words((targets.size() + 127) / 128 * 2), now(words * arcs.switches, 0) {
    for (std::size_t i = 0; i < targets.size(); ++i)
      now[targets[i] * words + i / 64] |= std::uint64_t{1} << (i % 64);
    before = now;
  }
  std::size_t words;  // even, so that two words can be processed at once
  std::vector<std::uint64_t> now;
  std::vector<std::uint64_t> before;
};

/// The targets that each switch can reach by up*/down* paths over all arcs, which go up to switches
/// earlier in the sequence of one escape tree.
struct UpDownReach {
  UpDownReach(const Arcs& arcs, const Escape& escape, const Reach& none)
      : around(arcs.count()),
        down(arcs.switches),
        legal(none),
        below(none),
        detoured(none.now.size(), 0) {
    std::vector<std::uint32_t> place(arcs.switches);
    for (std::uint32_t i = 0; i < arcs.switches; ++i) place[escape.sequence[i]] = i;
    const std::uint32_t* const head = arcs.head.data();
    const std::uint32_t* const places = place.data();
    std::uint32_t* const heads = around.data();
    for (std::uint32_t s = 0; s < arcs.switches; ++s) {
      // Lists the heads of the arcs, up arcs first. The loop has no branches, because the direction
      // is unpredictable.
      std::uint32_t up = arcs.begin[s];
      const std::uint32_t last = arcs.begin[s + 1];
      std::uint32_t end = last;
      for (std::uint32_t a = up; a < last; ++a) {
        const bool is_up = places[head[a]] < places[s];
        heads[is_up ? up : end - 1] = head[a];
        up += is_up ? 1 : 0;
        end -= is_up ? 0 : 1;
      }
      down[s] = end;
    }
  }

  std::vector<std::uint32_t> around;    // by switch as Arcs::begin: neighbors above, then below
  std::vector<std::uint32_t> down;      // by switch: index of the first neighbor below
  Reach legal;                          // reach by up arcs and then down arcs
  Reach below;                          // reach by down arcs only
  std::vector<std::uint64_t> detoured;  // rows as in Reach: targets with a detour under up*/down*
};

/// Adds the targets reached with one more hop over any arcs. Returns false if no target was added.
bool step(const Arcs& arcs, Reach& any) {
  std::swap(any.now, any.before);
  any.now = any.before;
  const std::size_t words = any.words;
  const std::uint32_t* const head = arcs.head.data();
  const std::uint64_t* const before = any.before.data();
  std::uint64_t* row = any.now.data();
  for (std::uint32_t s = 0; s < arcs.switches; ++s, row += words)
    for (std::uint32_t a = arcs.begin[s], end = arcs.begin[s + 1]; a < end; ++a)
      for (std::size_t w = 0; w < words; ++w) row[w] |= before[head[a] * words + w];
  return any.now != any.before;
}

/// Consecutive words of a row, processed at once.
using Two [[gnu::vector_size(16)]] = std::uint64_t;
using Four [[gnu::vector_size(32)]] = std::uint64_t;

template <class Block>
[[gnu::always_inline]] inline void load(const std::uint64_t* words, Block& block) {
  std::memcpy(&block, words, sizeof block);
}

template <class Block>
[[gnu::always_inline]] inline void add(const std::uint64_t* words, Block& block) {
  Block more;
  load(words, more);
  block |= more;
}

/// As step() above, but over up arcs and then down arcs, for one block of each row from word `w`
/// on.
template <class Block>
[[gnu::always_inline]] inline void step(const Arcs& arcs, const Reach& any, std::size_t w,
                                        UpDownReach& reach) {
  const std::size_t words = any.words;
  const std::uint64_t* const legal = reach.legal.before.data() + w;
  const std::uint64_t* const below = reach.below.before.data() + w;
  const std::uint64_t* const now = any.now.data() + w;
  const std::uint64_t* const before = any.before.data() + w;
  std::uint64_t* const legal_now = reach.legal.now.data() + w;
  std::uint64_t* const below_now = reach.below.now.data() + w;
  std::uint64_t* const detoured = reach.detoured.data() + w;
  const std::uint32_t* const begin = arcs.begin.data();
  const std::uint32_t* const downs = reach.down.data();
  const std::uint32_t* const around = reach.around.data();
  for (std::uint32_t s = 0; s < arcs.switches; ++s) {
    const std::size_t row = s * words;
    Block by_legal, by_below, late, earlier;
    load(legal + row, by_legal);
    load(below + row, by_below);
    const std::uint32_t down = downs[s];
    const std::uint32_t end = begin[s + 1];
    for (std::uint32_t a = begin[s]; a < down; ++a) add(legal + around[a] * words, by_legal);
    for (std::uint32_t a = down; a < end; ++a) add(below + around[a] * words, by_below);
    by_legal |= by_below;
    load(now + row, late);
    load(before + row, earlier);
    late &= ~earlier & ~by_legal;
    add(detoured + row, late);
    std::memcpy(legal_now + row, &by_legal, sizeof by_legal);
    std::memcpy(below_now + row, &by_below, sizeof by_below);
    std::memcpy(detoured + row, &late, sizeof late);
  }
}

/// As step() for a block, for all words of a row.
[[gnu::always_inline]] inline void step_all(const Arcs& arcs, const Reach& any,
                                            UpDownReach& reach) {
  std::size_t w = 0;
  for (; w + 4 <= any.words; w += 4) step<Four>(arcs, any, w, reach);
  for (; w < any.words; w += 2) step<Two>(arcs, any, w, reach);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void step_avx2(const Arcs& arcs, const Reach& any, UpDownReach& reach) {
  step_all(arcs, any, reach);
}
#endif

void step_best(const Arcs& arcs, const Reach& any, UpDownReach& reach) {
#if defined(__x86_64__)
  if (has_avx2()) return step_avx2(arcs, any, reach);
#endif
  step_all(arcs, any, reach);
}

/// Finds the detours of several trees together, since distances over all arcs are equal for all
/// trees.
void find_detours(const Arcs& arcs, Reach any, std::span<UpDownReach> trees) {
  while (step(arcs, any))
    for (UpDownReach& reach : trees) {
      step_best(arcs, any, reach);
      std::swap(reach.legal.now, reach.legal.before);
      std::swap(reach.below.now, reach.below.before);
    }
}

std::uint64_t count_detours(std::span<const std::uint32_t> weight, const UpDownReach& reach) {
  std::uint64_t count = 0;
  const std::size_t words = reach.legal.words;
  for (std::size_t s = 0; s < weight.size(); ++s)
    for (std::size_t w = s * words; w < (s + 1) * words && weight[s] > 0; ++w)
      count += std::uint64_t{weight[s]} * static_cast<unsigned>(std::popcount(reach.detoured[w]));
  return count;
}

std::uint64_t trees_to_try(const Arcs& arcs, std::size_t targets) {
  const std::uint64_t each = arcs.count() * (targets / 64 + 1) * kLevels;
  return std::clamp(kSteps / std::max<std::uint64_t>(1, each), kTreesLeast, kTreesMost);
}

Escape tree(const Arcs& arcs, std::span<const std::uint32_t> roots, std::size_t index, Rng rng) {
  std::vector<std::uint32_t> order(roots.begin(), roots.end());
  std::swap(order.front(), order[index % order.size()]);
  return densest_first(arcs, order, rng.permutation(arcs.switches));
}

}  // namespace

std::uint64_t detours(const Arcs& arcs, const Escape& escape, std::span<const std::uint32_t> weight,
                      std::span<const std::uint32_t> targets) {
  const Reach none(arcs, targets);
  UpDownReach reach(arcs, escape, none);
  find_detours(arcs, none, std::span(&reach, 1));
  return count_detours(weight, reach);
}

Start best_start(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> targets, std::span<const std::uint32_t> roots,
                 unsigned threads, const Rng& rng) {
  Start best{breadth_first(arcs, roots), 0};
  best.detours = detours(arcs, best.escape, weight, targets);
  if (best.detours == 0) return best;
  std::vector<Start> tried(trees_to_try(arcs, targets.size()));
  const Reach none(arcs, targets);
  const std::size_t block = std::clamp<std::size_t>(
      kWordsAtOnce / std::max<std::size_t>(1, none.now.size()), 1, kTreesAtOnce);
  parallel_blocks(tried.size(), block, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<UpDownReach> reach;
    reach.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      tried[i].escape = tree(arcs, roots, i, rng.fork(i));
      reach.emplace_back(arcs, tried[i].escape, none);
    }
    find_detours(arcs, none, reach);
    for (std::size_t i = begin; i < end; ++i)
      tried[i].detours = count_detours(weight, reach[i - begin]);
  });
  for (Start& start : tried)
    if (start.detours < best.detours) best = std::move(start);
  return best;
}

}  // namespace weft::nue
