// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hops of the paths from every switch to a block of destination switches, computed once for each
// set of equivalent switches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/trees/equivalent_switches.h"
#include "routing/trees/tree.h"

namespace weft::ftree {

/// Allowed paths.
enum class Paths {
  kUpDown,    // up, then down
  kShortest,  // any shortest path, preferably up and then down
};

/// One row of bytes for each set of equivalent switches, one column for each destination set;
/// kUnreachable if there is no path. Not defined between two members of one set: the path between
/// two members has one hop up and one hop down.
///
/// Up*/down*: a switch with a path of down hops only uses this path; other switches forward up.
/// Forwarding depends on the destination only, not on the input port: so no packet goes up after it
/// went down, and there is no dependency cycle.
class Hops {
 public:
  static constexpr std::uint8_t kUnreachable = 255;

  Hops(const Tree& tree, const EquivalentSwitches& equivalents, Paths paths,
       std::uint32_t columns_max)
      : tree_(tree),
        equivalents_(equivalents),
        paths_(paths),
        stride_(columns_max),
        down_(std::size_t{equivalents.sets()} * columns_max),
        all_(down_.size()),
        shortest_(paths == Paths::kShortest ? down_.size() : 0) {}

  /// Column i is the distance to the members of set first + i. Cost: channels of sets * columns
  /// byte operations.
  void compute(std::uint32_t first, std::uint32_t count, unsigned threads);

  Paths paths() const { return paths_; }
  /// Hop counts of paths that only go down.
  std::span<const std::uint8_t> down(std::uint32_t set) const { return row(down_, set); }
  /// Hop counts of up*/down* paths.
  std::span<const std::uint8_t> all(std::uint32_t set) const { return row(all_, set); }
  /// Hop counts of shortest paths; for Paths::kShortest only. At most all().
  std::span<const std::uint8_t> shortest(std::uint32_t set) const { return row(shortest_, set); }

 private:
  std::span<const std::uint8_t> row(const std::vector<std::uint8_t>& from,
                                    std::uint32_t set) const {
    return std::span(from).subspan(set * stride_, columns_);
  }
  bool update_row(std::vector<std::uint8_t>& rows, std::uint32_t set,
                  std::span<const Group> groups);
  void shorten(std::span<const std::vector<std::uint32_t>> levels, unsigned threads);

  const Tree& tree_;
  const EquivalentSwitches& equivalents_;
  Paths paths_;
  std::size_t stride_;
  std::size_t columns_ = 0;
  std::vector<std::uint8_t> down_;
  std::vector<std::uint8_t> all_;
  std::vector<std::uint8_t> shortest_;
};

}  // namespace weft::ftree
