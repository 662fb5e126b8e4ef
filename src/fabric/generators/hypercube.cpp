// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A grid of two switches in each dimension. Dimension d has the `trunks` ports from d * trunks + 1,
// at both ends of a cable.
#include "fabric/generators/box.h"
#include "fabric/generators/shapes.h"

namespace weft {

Result<Drawing> draw_hypercube(const Parameters& parameters) {
  const unsigned n = parameters.number("n");
  const unsigned trunks = parameters.number("trunks");
  const unsigned hosts = parameters.number("hosts");
  const Box box(std::vector<unsigned>(n, 2));
  auto drawing = Drawing::start(
      parameters, {box.count(), product({box.count(), hosts}), std::uint64_t{n} * trunks + hosts});
  if (!drawing) return drawing;
  for (std::uint32_t at = 0; at < box.count(); ++at) drawing->add_switch(box.name(at));
  for (std::size_t d = 0; d < n; ++d)
    for (std::uint32_t at = 0; at < box.count(); ++at)
      if (box.coordinate(at, d) == 0) drawing->cable(at, box.moved(at, d, 1), trunks);
  drawing->add_hosts_everywhere(hosts);
  return drawing;
}

}  // namespace weft
