// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Generated fabrics as plain graphs, for tests of their shape.
#pragma once

#include <string>
#include <vector>

#include "fabric/generators/spec.h"
#include "support/fabric_of.h"

namespace weft {

/// Hop counts from a switch to all other switches; unreachable switches have the number of
/// switches.
std::vector<std::uint32_t> hops_from(const Fabric& fabric, std::uint32_t from);

/// Diameter in hops; the number of switches if the switches are not connected.
std::uint32_t diameter(const Fabric& fabric);

/// Whether all switches are connected.
bool is_connected(const Fabric& fabric);

/// Number of cables to other switches of every switch, or -1 if switches have different numbers.
int degree(const Fabric& fabric);

/// The fabric as text of ibnetdiscover.
std::string text_of(const Fabric& fabric);

}  // namespace weft
