// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Nearest neighbors: Xneighbor of the ORCS report, and grids.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/text.h"
#include "congestion/patterns/kinds.h"

namespace weft::patterns {
namespace {

// Each rank has `degree` slots. From rank 0 up, each free slot is filled by the next higher rank
// that has a free slot and is no neighbor yet; slots may stay empty. The two ranks send to each
// other.
std::vector<Flow> flows_of_slots(std::uint32_t ranks, std::uint32_t degree) {
  std::vector<Flow> flows;
  std::vector<std::uint32_t> taken(ranks, 0);
  std::uint32_t open = 0;  // all lower ranks have no free slot or are processed
  for (std::uint32_t i = 0; i < ranks; ++i) {
    // Higher ranks with a free slot are tried in order, so no pair occurs twice.
    for (std::uint32_t j = std::max(i + 1, open); j < ranks && taken[i] < degree; ++j) {
      if (taken[j] >= degree) continue;
      ++taken[i];
      ++taken[j];
      flows.push_back({i, j});
      flows.push_back({j, i});
    }
    while (open < ranks && (open <= i || taken[open] >= degree)) ++open;
  }
  return flows;
}

Result<Pattern> slots(const PatternInput& input, std::uint32_t degree) {
  return pattern_of_levels({}, input.ranks, {flows_of_slots(input.ranks, degree)});
}

/// Sizes of a grid, "8x8", "4x4x4", with ",wrap" or without.
struct Grid {
  std::vector<std::uint32_t> sizes;
  bool wraps = false;
};

Result<Grid> parse_grid(const PatternInput& input, std::size_t dimensions) {
  Grid grid;
  std::string_view text = input.argument;
  const auto wrong = [&](std::string_view found) {
    return fail(Code::kUsage,
                "found {} behind the colon, expected {} such as {}, and ,wrap behind it "
                "for a torus",
                quoted(found), dimensions == 2 ? "XxY" : "XxYxZ",
                dimensions == 2 ? "8x8" : "4x4x4");
  };
  if (const std::size_t comma = text.find(','); comma != std::string_view::npos) {
    if (text.substr(comma + 1) != "wrap") return wrong(text);
    grid.wraps = true;
    text = text.substr(0, comma);
  }
  std::uint64_t places = 1;
  for (const std::string_view part : split(text, 'x')) {
    const auto size = parse_number<std::uint32_t>(part);
    if (!size || *size == 0 || *size > 0xFFFFFF) return wrong(input.argument);
    grid.sizes.push_back(*size);
    places *= *size;
    if (places > input.ranks)
      return fail(Code::kUsage, "found a grid {} of more places than the {} ranks",
                  quoted(input.argument), input.ranks);
  }
  if (grid.sizes.size() != dimensions) return wrong(input.argument);
  return grid;
}

// A level for each direction: every rank sends to its neighbor in that direction, as halo
// exchanges do.
Result<Pattern> stencil(const PatternInput& input, std::size_t dimensions) {
  const auto grid = parse_grid(input, dimensions);
  if (!grid) return forward(grid);
  std::uint32_t places = 1;
  for (const std::uint32_t size : grid->sizes) places *= size;
  std::vector<std::vector<Flow>> levels;
  std::uint32_t stride = 1;
  for (const std::uint32_t size : grid->sizes) {
    for (const bool up : {true, false}) {
      std::vector<Flow> flows;
      for (std::uint32_t i = 0; i < places; ++i) {
        const std::uint32_t x = i / stride % size;
        const bool edge = up ? x + 1 == size : x == 0;
        if (size == 1 || (edge && !grid->wraps)) continue;
        const std::uint32_t to = up ? (edge ? 0 : x + 1) : (edge ? size - 1 : x - 1);
        flows.push_back({i, i - x * stride + to * stride});
      }
      levels.push_back(std::move(flows));
    }
    stride *= size;
  }
  Pattern pattern = pattern_of_levels({}, input.ranks, std::move(levels));
  if (places < input.ranks)
    pattern.notes.push_back(
        fmt::format("{} of {} ranks have a place in the grid {}, the rest "
                    "is idle",
                    places, input.ranks, input.argument));
  return pattern;
}

}  // namespace

Result<Pattern> neighbors(const PatternInput& input) {
  const auto degree = parse_number<std::uint32_t>(input.argument);
  if (!degree || *degree == 0 || *degree > 4096)
    return fail(Code::kUsage,
                "found {} behind the colon, expected the number of neighbors, 1 to 4096, "
                "as in neighbor:4",
                quoted(input.argument));
  return slots(input, *degree);
}

Result<Pattern> neighbors_2(const PatternInput& input) { return slots(input, 2); }
Result<Pattern> neighbors_4(const PatternInput& input) { return slots(input, 4); }
Result<Pattern> neighbors_6(const PatternInput& input) { return slots(input, 6); }

// A grid as wide as the square root of n, rounded up, possibly with a short last row. Every rank
// sends once to each of its neighbors, at most four. Opposite edges are neighbors; no rank sends to
// itself.
Result<Pattern> neighbors_2d(const PatternInput& input) {
  const std::uint32_t n = input.ranks;
  if (n < 2) return pattern_of_levels({}, n, {{}});
  auto width = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(n)));
  while (std::uint64_t{width} * width < n) ++width;
  const std::uint32_t height = (n + width - 1) / width;
  std::vector<Flow> flows;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t x = i % width;
    const std::uint32_t y = i / width;
    const std::array<std::uint32_t, 4> around{
        y * width + (x + 1) % width, y * width + (x + width - 1) % width,
        (y + 1) % height * width + x, (y + height - 1) % height * width + x};
    for (std::size_t k = 0; k < around.size(); ++k) {
      const bool again = std::find(around.begin(), around.begin() + static_cast<long>(k),
                                   around[k]) != around.begin() + static_cast<long>(k);
      if (around[k] < n && around[k] != i && !again) flows.push_back({i, around[k]});
    }
  }
  return pattern_of_levels({}, n, {std::move(flows)});
}

Result<Pattern> stencil_2d(const PatternInput& input) { return stencil(input, 2); }
Result<Pattern> stencil_3d(const PatternInput& input) { return stencil(input, 3); }

}  // namespace weft::patterns
