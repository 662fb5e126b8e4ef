// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Torus, mesh, ring and line: the same grid, with or without wraparound links in each dimension. On
// every switch, at the edges too, dimension d has the 2 * trunks ports from 2 * trunks * d + 1:
// first the ports to the higher coordinate, then the ports to the lower coordinate, so that
// dimension-order routing can select ports by number.
#include "fabric/generators/box.h"
#include "fabric/generators/shapes.h"

namespace weft {
namespace {

struct Grid {
  std::vector<unsigned> sizes;
  bool closed = false;
  bool close_pairs = false;  // wrap around a dimension of two switches too, by a second cable
};

Result<Drawing> draw_grid(const Parameters& parameters, const Grid& grid) {
  const Box box(grid.sizes);
  const unsigned trunks = parameters.number("trunks");
  const unsigned hosts = parameters.number("hosts");
  const auto grid_ports = static_cast<unsigned>(std::size_t{2} * trunks * box.dimensions());
  auto drawing = Drawing::start(
      parameters, {box.count(), product({box.count(), hosts}), std::uint64_t{grid_ports} + hosts});
  if (!drawing) return drawing;
  drawing->reserve_ports(grid_ports);
  for (std::uint32_t at = 0; at < box.count(); ++at) drawing->add_switch(box.name(at));
  for (std::size_t d = 0; d < box.dimensions(); ++d) {
    const unsigned size = box.size(d);
    const bool closed = grid.closed && (size > 2 || (size == 2 && grid.close_pairs));
    const auto up_port = static_cast<unsigned>(std::size_t{2} * trunks * d + 1);
    for (std::uint32_t at = 0; at < box.count(); ++at) {
      const unsigned own = box.coordinate(at, d);
      if (own + 1 == size && !closed) continue;
      for (unsigned i = 0; i < trunks; ++i)
        drawing->cable_at(at, up_port + i, box.moved(at, d, (own + 1) % size),
                          up_port + trunks + i);
    }
  }
  drawing->add_hosts_everywhere(hosts);
  return drawing;
}

}  // namespace

Result<Drawing> draw_torus(const Parameters& parameters) {
  return draw_grid(parameters, {parameters.dimensions(), true, parameters.number("pairs") == 2});
}

Result<Drawing> draw_mesh(const Parameters& parameters) {
  return draw_grid(parameters, {parameters.dimensions(), false});
}

Result<Drawing> draw_ring(const Parameters& parameters) {
  return draw_grid(parameters, {{parameters.number("n")}, true});
}

Result<Drawing> draw_line(const Parameters& parameters) {
  return draw_grid(parameters, {{parameters.number("n")}, false});
}

}  // namespace weft
