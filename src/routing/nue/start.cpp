#include "routing/nue/start.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace weft::nue {
namespace {

constexpr std::uint64_t kSteps = 20'000'000;  // of all trees that are tried
constexpr std::uint64_t kTreesLeast = 4;
constexpr std::uint64_t kTreesMost = 32;
constexpr std::uint64_t kLevels = 8;  // a guess at the diameter, to tell what a tree takes

/// Which targets each switch can reach, a bit for each: a row of words for each switch.
class Reach {
 public:
  Reach(const Arcs& arcs, std::span<const std::uint32_t> targets)
      : words_((targets.size() + 63) / 64), bits_(words_ * arcs.switches, 0) {
    for (std::size_t i = 0; i < targets.size(); ++i)
      bits_[targets[i] * words_ + i / 64] |= std::uint64_t{1} << (i % 64);
  }
  void add(std::uint32_t sw, const Reach& from, std::uint32_t next) {
    std::uint64_t* const own = bits_.data() + sw * words_;
    const std::uint64_t* const other = from.bits_.data() + next * words_;
    for (std::size_t w = 0; w < words_; ++w) own[w] |= other[w];
  }
  bool differs(const Reach& other) const { return bits_ != other.bits_; }
  /// Targets that are new since `before` and are not in `allowed`.
  std::uint64_t missing(const Reach& before, const Reach& allowed, std::uint32_t sw) const {
    std::uint64_t count = 0;
    for (std::size_t w = sw * words_; w < (sw + 1) * words_; ++w)
      if (const auto bits = bits_[w] & ~before.bits_[w] & ~allowed.bits_[w]; bits != 0)
        count += static_cast<unsigned>(std::popcount(bits));
    return count;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

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
  std::vector<std::uint32_t> place(arcs.switches);
  for (std::uint32_t i = 0; i < arcs.switches; ++i) place[escape.sequence[i]] = i;
  // Within so many hops: by any arcs, by arcs up and then down, by arcs down.
  Reach any(arcs, targets);
  Reach legal = any;
  Reach down = any;
  Reach any_before = any;
  Reach legal_before = any;
  Reach down_before = any;
  std::uint64_t sum = 0;
  for (bool more = true; more;) {
    for (std::uint32_t s = 0; s < arcs.switches; ++s)
      for (std::uint32_t a = arcs.begin[s]; a < arcs.begin[s + 1]; ++a) {
        const std::uint32_t to = arcs.head[a];
        any.add(s, any_before, to);
        if (place[to] < place[s]) {
          legal.add(s, legal_before, to);
        } else {
          legal.add(s, down_before, to);
          down.add(s, down_before, to);
        }
      }
    more = any.differs(any_before);
    for (std::uint32_t s = 0; s < arcs.switches; ++s)
      if (weight[s] > 0) sum += weight[s] * any.missing(any_before, legal, s);
    any_before = any;
    legal_before = legal;
    down_before = down;
  }
  return sum;
}

Start best_start(const Arcs& arcs, std::span<const std::uint32_t> weight,
                 std::span<const std::uint32_t> targets, std::span<const std::uint32_t> roots,
                 unsigned threads, const Rng& rng) {
  Start best{breadth_first(arcs, roots), 0};
  best.detours = detours(arcs, best.escape, weight, targets);
  if (best.detours == 0) return best;
  std::vector<Start> tried(trees_to_try(arcs, targets.size()));
  parallel_for(tried.size(), threads, [&](std::size_t i) {
    tried[i].escape = tree(arcs, roots, i, rng.fork(i));
    tried[i].detours = detours(arcs, tried[i].escape, weight, targets);
  });
  for (Start& start : tried)
    if (start.detours < best.detours) best = std::move(start);
  return best;
}

}  // namespace weft::nue
