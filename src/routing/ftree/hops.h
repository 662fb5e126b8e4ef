// Hops of the paths from every switch to a block of destination switches, once for all twins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/ftree/tree.h"
#include "routing/ftree/twins.h"

namespace weft::ftree {

/// Which paths serve.
enum class Paths {
  kUpDown,    // up, then down
  kShortest,  // any; where one of the shortest goes up and then down, it is taken
};

/// A row of bytes a set of twins, a column a set of destinations; kFar where there is no path. Of
/// the way between two twins of a set nothing is said: it is one up and one down.
///
/// Up*/down*: a switch that can go down all the way does so; the others go up. Forwarding knows the
/// destination only, not where a packet came from: so no packet that came down is ever sent up
/// again, and channels cannot wait for each other in a circle.
class Hops {
 public:
  static constexpr std::uint8_t kFar = 255;

  Hops(const Tree& tree, const Twins& twins, Paths paths, std::uint32_t columns_max)
      : tree_(tree),
        twins_(twins),
        paths_(paths),
        stride_(columns_max),
        down_(std::size_t{twins.sets()} * columns_max),
        all_(down_.size()),
        shortest_(paths == Paths::kShortest ? down_.size() : 0) {}

  /// Column i is the way to the members of set first + i. Cost: channels of sets * columns byte
  /// operations.
  void compute(std::uint32_t first, std::uint32_t count, unsigned threads);

  Paths paths() const { return paths_; }
  /// Of paths that only go down.
  std::span<const std::uint8_t> down(std::uint32_t set) const { return row(down_, set); }
  /// Of up*/down* paths.
  std::span<const std::uint8_t> all(std::uint32_t set) const { return row(all_, set); }
  /// Of any paths; for Paths::kShortest only. Never more than all().
  std::span<const std::uint8_t> shortest(std::uint32_t set) const { return row(shortest_, set); }

 private:
  std::span<const std::uint8_t> row(const std::vector<std::uint8_t>& from,
                                    std::uint32_t set) const {
    return std::span(from).subspan(set * stride_, columns_);
  }
  bool lower(std::vector<std::uint8_t>& rows, std::uint32_t set, std::span<const Group> groups);
  void shorten(std::span<const std::vector<std::uint32_t>> layers, unsigned threads);

  const Tree& tree_;
  const Twins& twins_;
  Paths paths_;
  std::size_t stride_;
  std::size_t columns_ = 0;
  std::vector<std::uint8_t> down_;
  std::vector<std::uint8_t> all_;
  std::vector<std::uint8_t> shortest_;
};

}  // namespace weft::ftree
