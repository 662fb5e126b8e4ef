// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/grid_pairs.h"

#include <algorithm>
#include <span>

#include "base/parallel.h"
#include "routing/deadlock/layers.h"

namespace weft {
namespace {

using Mask = std::uint16_t;              // a bit for each layer
using Cut = std::vector<std::uint32_t>;  // by ring: the position that no path passes through

constexpr std::size_t kLayersMax = 15;
// Limit of the product of candidates and paths, for each layer.
constexpr std::size_t kPairComparisonsMax = 4'000'000;

/// Number of positions of a ring through which each of its longest paths passes, without the ends.
std::uint32_t interior_positions(std::uint32_t size) { return size / 2 - 1; }

/// A ring needs a cut if a path in the ring passes through a position.
bool needs_cut(const Grid::Line& line) { return line.closed && line.size >= 4; }

/// The longest paths through all rings. The number of a path encodes the first position that the
/// path passes through in each ring. Cuts have the same numbers.
class Windows {
 public:
  explicit Windows(std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes)) {
    for (const std::uint32_t size : sizes_) count_ *= size;
  }
  std::size_t count() const { return count_; }
  Cut cut(std::size_t number) const {
    Cut cut;
    for (const std::uint32_t size : sizes_) {
      cut.push_back(static_cast<std::uint32_t>(number % size));
      number /= size;
    }
    return cut;
  }
  bool free_of(std::size_t window, const Cut& cut) const {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const auto first = static_cast<std::uint32_t>(window % sizes_[i]);
      window /= sizes_[i];
      if ((cut[i] + sizes_[i] - first) % sizes_[i] < interior_positions(sizes_[i])) return false;
    }
    return true;
  }

 private:
  std::vector<std::uint32_t> sizes_;
  std::size_t count_ = 1;
};

/// All combinations of one of two opposite positions in each ring; empty if there are too many
/// combinations.
std::vector<Cut> opposite_cuts(std::span<const std::uint32_t> sizes) {
  std::vector<Cut> cuts;
  if (sizes.size() > 3) return cuts;
  for (unsigned choice = 0; choice < 1u << sizes.size(); ++choice) {
    Cut& cut = cuts.emplace_back();
    for (std::size_t i = 0; i < sizes.size(); ++i)
      cut.push_back((choice >> i & 1) != 0 ? sizes[i] / 2 : 0);
  }
  return cuts;
}

/// A greedy cover: the cut that allows most of the remaining paths is selected next. Empty if more
/// cuts than kLayersMax are necessary.
std::vector<Cut> covering_cuts(const std::vector<std::uint32_t>& sizes) {
  const Windows windows(sizes);
  std::vector<std::size_t> left(windows.count());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  const std::size_t step = 1 + windows.count() * windows.count() / kPairComparisonsMax;
  std::vector<Cut> cuts;
  while (!left.empty() && cuts.size() < kLayersMax) {
    std::size_t most = 0;
    Cut best;
    for (std::size_t number = 0; number < windows.count(); number += step) {
      Cut cut = windows.cut(number);
      const auto freed = static_cast<std::size_t>(std::ranges::count_if(
          left, [&](std::size_t window) { return windows.free_of(window, cut); }));
      if (freed <= most) continue;
      most = freed;
      best = std::move(cut);
    }
    if (most == 0) return {};
    std::erase_if(left, [&](std::size_t window) { return windows.free_of(window, best); });
    cuts.push_back(std::move(best));
  }
  if (!left.empty()) cuts.clear();
  return cuts;
}

std::vector<Cut> fewest_cuts(const std::vector<std::uint32_t>& sizes) {
  auto opposite = opposite_cuts(sizes);
  auto covering = covering_cuts(sizes);
  if (covering.empty()) return opposite;
  return opposite.empty() || covering.size() < opposite.size() ? covering : opposite;
}

class GridPaths {
 public:
  GridPaths(const Grid& grid, const std::vector<Cut>& cuts);

  /// The next trunk from `from` toward `to`, and the possible layers of the path and its reverse.
  std::uint32_t next(std::uint32_t from, std::uint32_t to) const;
  Mask layers(std::uint32_t from, std::uint32_t to) const;

 private:
  bool goes_up(std::size_t dimension, std::uint32_t from, std::uint32_t to) const;
  bool goes_up_to_opposite(std::size_t dimension, std::uint32_t from, std::uint32_t to) const;

  const Grid& grid_;
  Mask all_;
  /// By dimension, first position and number of hops of an ascending path in the ring: the possible
  /// layers of the path.
  std::vector<std::vector<Mask>> free_;
};

GridPaths::GridPaths(const Grid& grid, const std::vector<Cut>& cuts)
    : grid_(grid), all_(static_cast<Mask>((1u << cuts.size()) - 1)) {
  std::size_t ring = 0;
  for (const Grid::Line& line : grid.dimensions) {
    auto& free = free_.emplace_back(std::size_t{line.size} * line.size, all_);
    if (!needs_cut(line)) continue;
    for (std::uint32_t first = 0; first < line.size; ++first)
      for (std::uint32_t hops = 2; hops <= line.size / 2; ++hops)
        for (std::size_t layer = 0; layer < cuts.size(); ++layer) {
          const std::uint32_t at = (cuts[layer][ring] + line.size - first) % line.size;
          if (at > 0 && at < hops)
            free[first * line.size + hops] &= static_cast<Mask>(~(1u << layer));
        }
    ++ring;
  }
}

/// Opposite positions of a ring have equal distances in both directions. The direction depends on
/// the positions in this and later dimensions, so that the reverse path uses the same links, and
/// each direction is used by half of the pairs.
bool GridPaths::goes_up_to_opposite(std::size_t dimension, std::uint32_t from,
                                    std::uint32_t to) const {
  std::uint32_t parity = std::min(grid_.at(from, dimension), grid_.at(to, dimension));
  for (std::size_t later = dimension + 1; later < grid_.dimensions.size(); ++later)
    parity += grid_.at(from, later) + grid_.at(to, later);
  return (grid_.at(from, dimension) < grid_.at(to, dimension)) == (parity % 2 == 0);
}

bool GridPaths::goes_up(std::size_t dimension, std::uint32_t from, std::uint32_t to) const {
  const Grid::Line& line = grid_.dimensions[dimension];
  const std::uint32_t here = grid_.at(from, dimension), there = grid_.at(to, dimension);
  if (!line.closed) return here < there;
  const std::uint32_t up = (there + line.size - here) % line.size;
  return 2 * up == line.size ? goes_up_to_opposite(dimension, from, to) : 2 * up < line.size;
}

std::uint32_t GridPaths::next(std::uint32_t from, std::uint32_t to) const {
  for (std::size_t d = 0; d < grid_.dimensions.size(); ++d)
    if (grid_.at(from, d) != grid_.at(to, d)) return grid_.trunk(from, d, goes_up(d, from, to));
  return LayeredPairs::kNoTrunk;
}

Mask GridPaths::layers(std::uint32_t from, std::uint32_t to) const {
  Mask layers = all_;
  for (std::size_t d = 0; d < grid_.dimensions.size(); ++d) {
    const std::uint32_t size = grid_.dimensions[d].size;
    if (!needs_cut(grid_.dimensions[d]) || grid_.at(from, d) == grid_.at(to, d)) continue;
    const bool up = goes_up(d, from, to);
    const std::uint32_t first = grid_.at(up ? from : to, d), last = grid_.at(up ? to : from, d);
    layers &= free_[d][first * size + (last + size - first) % size];
  }
  return layers;
}

}  // namespace

std::optional<LayeredPairs> layer_grid(const Fabric& fabric, const Grid& grid, unsigned layers_max,
                                       unsigned threads) {
  std::vector<std::uint32_t> sizes;
  for (const Grid::Line& line : grid.dimensions)
    if (needs_cut(line)) sizes.push_back(line.size);
  const auto cuts = fewest_cuts(sizes);
  if (cuts.empty() || cuts.size() > layers_max) return std::nullopt;
  const GridPaths paths(grid, cuts);
  const std::uint32_t switches = fabric.switch_count();
  LayeredPairs pairs;
  pairs.count = static_cast<unsigned>(cuts.size());
  pairs.next.resize(std::size_t{switches} * switches);
  std::vector<Mask> choices(pairs.next.size(), 0);
  threads = threads_worth(8 * pairs.next.size(), threads);
  parallel_for(switches, threads, [&](std::size_t row) {
    const auto to = static_cast<std::uint32_t>(row);
    const bool sends = !fabric.endports_at(SwitchId(to)).empty();
    for (std::uint32_t from = 0; from < switches; ++from) {
      pairs.next[row * switches + from] = paths.next(from, to);
      if (from < to && (sends || !fabric.endports_at(SwitchId(from)).empty()))
        choices[row * switches + from] = paths.layers(from, to);
    }
  });
  pairs.layers = distribute_layers(switches, pairs.count, choices);
  return pairs;
}

}  // namespace weft
