// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Disjoint sets that are merged step by step, such as the switches connected by a growing set of
// links.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace weft {

/// Union-find over 0 .. size-1; the representative of a set is its smallest member.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  /// Merges the sets of both elements; false if they were in the same set already.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace weft
