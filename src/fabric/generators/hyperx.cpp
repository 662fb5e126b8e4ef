// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A grid in which each switch is cabled to all others of its row, in each dimension. The ports of a
// dimension are consecutive, in the order of the other switches of the row; hosts follow. Source:
// Ahn, Binkert, Davis, McLaren, Schreiber, "HyperX: topology, routing, and packaging of efficient
// large-scale networks", 2009.
#include "fabric/generators/box.h"
#include "fabric/generators/shapes.h"

namespace weft {

Result<Drawing> draw_hyperx(const Parameters& parameters) {
  const Box box(parameters.dimensions());
  const unsigned hosts = parameters.number("hosts");
  std::vector<unsigned> trunks = parameters.list("trunks");
  if (trunks.size() <= 1) trunks.resize(box.dimensions(), trunks.empty() ? 1 : trunks[0]);
  if (trunks.size() != box.dimensions())
    return parameters.refuse(
        "trunks", fmt::format("{} numbers", trunks.size()),
        fmt::format("one, or one for each of {} dimensions", box.dimensions()));
  DrawingSize size{box.count(), product({box.count(), hosts}), hosts};
  for (std::size_t d = 0; d < box.dimensions(); ++d)
    size.ports += product({box.size(d) - 1, trunks[d]});
  auto drawing = Drawing::start(parameters, size);
  if (!drawing) return drawing;
  for (std::uint32_t at = 0; at < box.count(); ++at) drawing->add_switch(box.name(at));
  for (std::size_t d = 0; d < box.dimensions(); ++d)
    for (std::uint32_t at = 0; at < box.count(); ++at)
      for (unsigned to = box.coordinate(at, d) + 1; to < box.size(d); ++to)
        drawing->cable(at, box.moved(at, d, to), trunks[d]);
  drawing->add_hosts_everywhere(hosts);
  return drawing;
}

}  // namespace weft
