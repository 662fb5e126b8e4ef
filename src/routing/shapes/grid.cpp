// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/shapes/grid.h"

#include <algorithm>

#include "base/check.h"

namespace weft {
namespace {

/// The place of each switch in a dimension: switches that trunks of other dimensions connect have
/// the same place. Places are numbered by their lowest switch.
std::vector<std::uint32_t> places_of(const Mesh& mesh, const Trunks& trunks, std::uint32_t switches,
                                     unsigned dimension) {
  std::vector<std::uint32_t> place(switches, Grid::kNone);
  std::vector<std::uint32_t> stack;
  std::uint32_t count = 0;
  for (std::uint32_t s = 0; s < switches; ++s) {
    if (place[s] != Grid::kNone) continue;
    stack.assign(1, s);
    place[s] = count;
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      for (std::uint32_t t = trunks.begin[at]; t < trunks.begin[at + 1]; ++t) {
        if (mesh.dimension[trunks.channels_of(t).front()] == dimension) continue;
        if (place[trunks.head[t]] != Grid::kNone) continue;
        place[trunks.head[t]] = count;
        stack.push_back(trunks.head[t]);
      }
    }
    ++count;
  }
  return place;
}

/// Renumbers places so that neighbors are consecutive: along a line from the end with the lower
/// number, around a ring from number 0.
Grid::Line straighten(std::vector<std::uint32_t>& place, const Mesh& mesh, const Trunks& trunks,
                      unsigned dimension) {
  const std::uint32_t size = std::ranges::max(place) + 1;
  std::vector<std::vector<std::uint32_t>> next(size);
  for (std::uint32_t t = 0; t < trunks.count(); ++t)
    if (mesh.dimension[trunks.channels_of(t).front()] == dimension) {
      auto& list = next[place[trunks.tail[t]]];
      const std::uint32_t to = place[trunks.head[t]];
      if (std::ranges::find(list, to) == list.end()) list.push_back(to);
    }
  const auto end = std::ranges::find_if(next, [](const auto& list) { return list.size() < 2; });
  const bool closed = end == next.end();
  std::vector<std::uint32_t> renumbered(size, Grid::kNone);
  auto at = closed ? 0 : static_cast<std::uint32_t>(end - next.begin());
  for (std::uint32_t i = 0; i < size; ++i) {
    renumbered[at] = i;
    const auto on = std::ranges::find_if(
        next[at], [&](std::uint32_t to) { return renumbered[to] == Grid::kNone; });
    CHECK(i + 1 == size || on != next[at].end());
    if (on != next[at].end()) at = *on;
  }
  for (std::uint32_t& p : place) p = renumbered[p];
  return {size, closed};
}

}  // namespace

Grid make_grid(const Fabric& fabric, const Mesh& mesh, const Trunks& trunks) {
  Grid grid;
  const std::uint32_t switches = fabric.switch_count();
  grid.place.resize(std::size_t{switches} * mesh.dimensions);
  grid.step.assign(2 * grid.place.size(), Grid::kNone);
  for (unsigned d = 0; d < mesh.dimensions; ++d) {
    auto place = places_of(mesh, trunks, switches, d);
    grid.dimensions.push_back(straighten(place, mesh, trunks, d));
    for (std::uint32_t s = 0; s < switches; ++s) grid.place[s * mesh.dimensions + d] = place[s];
    for (std::uint32_t t = 0; t < trunks.count(); ++t) {
      if (mesh.dimension[trunks.channels_of(t).front()] != d) continue;
      const std::uint32_t from = place[trunks.tail[t]], to = place[trunks.head[t]];
      const Grid::Line& line = grid.dimensions[d];
      const bool up = line.closed ? (from + 1) % line.size == to : from < to;
      grid.step[2 * (trunks.tail[t] * mesh.dimensions + d) + (up ? 1 : 0)] = t;
    }
  }
  return grid;
}

}  // namespace weft
