// All cables from one switch to another as one: a trunk. If trunks are deadlock-free, so are their
// cables, however packets are distributed over them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

class Trunks {
 public:
  explicit Trunks(const Fabric& fabric);

  std::uint32_t count() const { return static_cast<std::uint32_t>(to_.size()); }
  /// Trunks of a switch, by ascending neighbour: [first(sw), first(sw + 1)).
  std::uint32_t first(std::uint32_t sw) const { return first_[sw]; }
  std::uint32_t from(std::uint32_t trunk) const { return from_[trunk]; }
  std::uint32_t to(std::uint32_t trunk) const { return to_[trunk]; }
  std::uint32_t reverse(std::uint32_t trunk) const { return reverse_[trunk]; }
  /// Its channels by ascending id, at least one.
  std::span<const std::uint32_t> channels(std::uint32_t trunk) const {
    return std::span(channels_).subspan(begin_[trunk], begin_[trunk + 1] - begin_[trunk]);
  }
  /// The number of cables of the widest trunk.
  std::size_t width() const { return width_; }

 private:
  std::vector<std::uint32_t> first_;     // by switch, and one more
  std::vector<std::uint32_t> from_;      // by trunk
  std::vector<std::uint32_t> to_;        // by trunk
  std::vector<std::uint32_t> reverse_;   // by trunk
  std::vector<std::uint32_t> begin_;     // by trunk, and one more
  std::vector<std::uint32_t> channels_;  // by trunk
  std::size_t width_ = 1;
};

}  // namespace weft
