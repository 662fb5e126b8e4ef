// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Seeded random numbers with Weft's own distributions, so that equal seeds give equal results on
// every machine and library. Generator: xoshiro256** seeded by splitmix64 (Blackman and Vigna,
// 2018).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace weft {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t next();

  /// Uniform in [0, bound), without modulo bias. `bound` must not be 0.
  std::uint64_t below(std::uint64_t bound);

  /// Uniform in [0, 1) with 53 bits.
  double unit();

  /// True with the given probability.
  bool chance(double probability) { return unit() < probability; }

  /// An independent generator for task `index`. This generator does not advance, so forks do not
  /// depend on the order of calls.
  Rng fork(std::uint64_t index) const;

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  /// A random permutation of 0..n-1.
  std::vector<std::uint32_t> permutation(std::uint32_t n);

 private:
  std::uint64_t seed_;
  std::uint64_t state_[4];
};

}  // namespace weft
