// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/nue/dimension_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "routing/shapes/grid.h"
#include "routing/shapes/hyperx.h"
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

/// The arcs by their keys; of equal ones that with the lower number first.
template <class Key>
Order order_by(const std::vector<Key>& key) {
  std::vector<std::uint32_t> sorted(key.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::ranges::stable_sort(sorted, {}, [&](std::uint32_t arc) { return key[arc]; });
  Order order(key.size());
  for (std::uint32_t place = 0; place < sorted.size(); ++place) order[sorted[place]] = place;
  return order;
}

std::optional<Order> order_of_mesh(const Fabric& fabric, const Arcs& arcs) {
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
  return order_by(key);
}

std::optional<Order> order_of_hyperx(const Arcs& arcs) {
  const auto hyperx = find_hyperx(arcs);
  if (!hyperx) return std::nullopt;
  std::vector<std::size_t> dimension(arcs.count());
  for (std::uint32_t arc = 0; arc < arcs.count(); ++arc)
    dimension[arc] = hyperx->first_between(arcs.tail[arc], arcs.head[arc]);
  return order_by(dimension);
}

}  // namespace

std::optional<Order> dimension_order(const Fabric& fabric, const Arcs& arcs) {
  if (arcs.channels.size() != fabric.channel_count()) return std::nullopt;
  if (can_be_mesh(arcs))
    if (auto order = order_of_mesh(fabric, arcs)) return order;
  return order_of_hyperx(arcs);
}

}  // namespace weft::nue
