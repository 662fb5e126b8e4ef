// Sets that grow together: which switches a growing set of cables joins.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace weft::ftree {

/// Union-find; the name of a set is its least member.
class Forest {
 public:
  explicit Forest(std::uint32_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[a < b ? b : a] = a < b ? a : b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace weft::ftree
