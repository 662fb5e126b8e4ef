// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Generated fabrics as plain graphs, for tests of their shape.
#pragma once

#include <string>
#include <vector>

#include "fabric/generators/spec.h"
#include "support/fabric_of.h"

namespace weft {

/// Hop counts from a switch to all others; the number of switches if unreachable.
std::vector<std::uint32_t> hops_from(const Fabric& fabric, std::uint32_t from);

/// The number of switches or more if the fabric is not connected.
std::uint32_t diameter(const Fabric& fabric);

bool in_one_piece(const Fabric& fabric);

/// Cables to other switches that every switch has, or -1 if they differ.
int degree(const Fabric& fabric);

std::string text_of(const Fabric& fabric);

}  // namespace weft
