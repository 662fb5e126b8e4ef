// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Points of a box: the switches of grids, hypercubes and HyperX. They are numbered so that the
// first coordinate changes fastest.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fabric/generators/drawing.h"

namespace weft {

class Box {
 public:
  explicit Box(std::vector<unsigned> sizes) : sizes_(std::move(sizes)) {
    for (const unsigned size : sizes_) {
      strides_.push_back(static_cast<std::uint32_t>(count_));
      count_ = product({count_, size});
    }
  }

  /// Number of points. Saturates as product() does; the other members need a count below 2^32.
  std::uint64_t count() const { return count_; }
  std::size_t dimensions() const { return sizes_.size(); }
  unsigned size(std::size_t dimension) const { return sizes_[dimension]; }
  unsigned coordinate(std::uint32_t at, std::size_t dimension) const {
    return at / strides_[dimension] % sizes_[dimension];
  }
  /// The point with one coordinate replaced.
  std::uint32_t moved(std::uint32_t at, std::size_t dimension, unsigned to) const {
    return at - coordinate(at, dimension) * strides_[dimension] + to * strides_[dimension];
  }
  /// The name sw-X-Y-Z of a point.
  std::string name(std::uint32_t at) const {
    std::string text = "sw";
    for (std::size_t d = 0; d < sizes_.size(); ++d) text += fmt::format("-{}", coordinate(at, d));
    return text;
  }

 private:
  std::vector<unsigned> sizes_;
  std::vector<std::uint32_t> strides_;
  std::uint64_t count_ = 1;
};

}  // namespace weft
