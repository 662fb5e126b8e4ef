// Recognising cartesian meshes, open or closed, however they are cabled: a fabric is one if its
// graph is a product of lines and rings. Source: T. Feder, "Product graph representations", Journal
// of Graph Theory 16, 1992: the factors of a connected graph are the classes of its edges under two
// relations that distances tell. A ring of four counts as two lines of two, which is the same
// graph.  Cost: O(switches * neighbours of all switches).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

struct Mesh {
  std::vector<std::uint8_t> dimension;  // by channel; parallel cables have the same
  unsigned dimensions = 0;
};

/// Nothing where the fabric is not connected, is no mesh, or is larger than this looks at: some
/// thousand switches.
std::optional<Mesh> find_mesh(const Fabric& fabric);

}  // namespace weft
