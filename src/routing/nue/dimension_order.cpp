// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/dimension_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "routing/shapes/grid.h"
#include "routing/shapes/mesh.h"

namespace weft::nue {

namespace {

/// False if the switches are no mesh for a reason that costs nothing to find: where all have
/// equally many neighbours, every dimension has two switches.
bool can_be_mesh(const Arcs& arcs) {
  const std::uint32_t degree = arcs.switches > 0 ? arcs.degree(0) : 0;
  for (std::uint32_t sw = 1; sw < arcs.switches; ++sw)
    if (arcs.degree(sw) != degree) return true;
  return degree < 32 && arcs.switches == std::uint32_t{1} << degree;
}

}  // namespace

std::optional<Order> dimension_order(const Fabric& fabric, const Arcs& arcs) {
  if (arcs.channels.size() != fabric.channel_count() || !can_be_mesh(arcs)) return std::nullopt;
  const auto mesh = find_mesh(fabric);
  if (!mesh) return std::nullopt;
  const Grid grid = make_grid(fabric, *mesh, arcs);
  if (std::ranges::any_of(grid.dimensions, &Grid::Line::closed)) return std::nullopt;
  using Key = std::tuple<std::size_t, bool, std::uint32_t>;  // dimension, downwards, hops so far
  std::vector<Key> key(arcs.count());
  for (std::uint32_t sw = 0; sw < arcs.switches; ++sw)
    for (std::size_t d = 0; d < grid.dimensions.size(); ++d)
      for (const bool up : {false, true})
        if (const std::uint32_t arc = grid.trunk(sw, d, up); arc != Grid::kNone)
          key[arc] = {d, !up, up ? grid.at(sw, d) : grid.dimensions[d].size - grid.at(sw, d)};
  std::vector<std::uint32_t> sorted(arcs.count());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::ranges::stable_sort(sorted, {}, [&](std::uint32_t arc) { return key[arc]; });
  Order order(arcs.count());
  for (std::uint32_t place = 0; place < sorted.size(); ++place) order[sorted[place]] = place;
  return order;
}

}  // namespace weft::nue
