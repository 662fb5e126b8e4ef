// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Recognizes HammingMesh by its links: boards, which are equal meshes of switches with hosts, and
// networks of switches without hosts, each of which joins both ends of a line of switches on all
// boards of a row or column. Source: Hoefler et al., "HammingMesh: a network topology for
// large-scale deep learning", SC 2022. Cost: O(switches + channels).
#pragma once

#include <cstdint>
#include <optional>

#include "fabric/fabric.h"

namespace weft {

/// x * y boards of a * b switches, with a <= b: rows and columns are interchangeable.
struct Boards {
  std::uint32_t a = 0, b = 0, x = 0, y = 0;
};
/// Returns nullopt if the fabric is no HammingMesh, a cable is missing, or boards have a single
/// switch.
std::optional<Boards> find_boards(const Fabric& fabric);

}  // namespace weft
