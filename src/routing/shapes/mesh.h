// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Recognizes cartesian meshes and tori, independent of port numbers: the graph of such a fabric is
// a product of lines and rings. Source: T. Feder, "Product graph representations", Journal of Graph
// Theory 16, 1992: the factors of a connected graph are the classes of its edges under two
// relations defined by distances. A ring of four counts as two lines of two, which is the same
// graph. Cost: O(switches * neighbors of all switches).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

struct Mesh {
  std::vector<std::uint8_t> dimension;  // by channel, from 0; parallel cables have the same
  unsigned dimensions = 0;
};

/// Returns nullopt if the fabric has fewer than two switches, is not connected, is no mesh of at
/// most 64 dimensions, or exceeds the limits: 8192 switches, and 400 million for the product of the
/// numbers of switches and of pairs of neighbors.
std::optional<Mesh> find_mesh(const Fabric& fabric);

}  // namespace weft
