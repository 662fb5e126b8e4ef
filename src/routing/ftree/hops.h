// Hops of the up*/down* paths from every switch to a block of destination switches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/ftree/tree.h"

namespace weft::ftree {

/// A row of bytes a switch, a column a destination; kFar where there is no path.
///
/// A switch that can go down all the way does so; the others go up. Forwarding knows the
/// destination only, not where a packet came from: so no packet that came down is ever sent up
/// again, and channels cannot wait for each other in a circle.
class Hops {
 public:
  static constexpr std::uint8_t kFar = 255;

  Hops(const Tree& tree, std::uint32_t columns_max)
      : tree_(tree),
        stride_(columns_max),
        down_(std::size_t{tree.size()} * columns_max),
        all_(down_.size()) {}

  /// Column i is the way to destinations[i]. Cost: channels * destinations byte operations.
  void compute(std::span<const std::uint32_t> destinations, unsigned threads);

  /// Of paths that only go down.
  std::span<const std::uint8_t> down(std::uint32_t sw) const { return row(down_, sw); }
  std::span<const std::uint8_t> all(std::uint32_t sw) const { return row(all_, sw); }

 private:
  std::span<const std::uint8_t> row(const std::vector<std::uint8_t>& from, std::uint32_t sw) const {
    return std::span(from).subspan(sw * stride_, columns_);
  }

  const Tree& tree_;
  std::size_t stride_;
  std::size_t columns_ = 0;
  std::vector<std::uint8_t> down_;
  std::vector<std::uint8_t> all_;
};

}  // namespace weft::ftree
