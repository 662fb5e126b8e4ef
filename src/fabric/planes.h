// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Planes and rails that no cables join: a host has a port in each, and reaches another host by the
// ports that both have in one of them. What no cables connect is then no failure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// By EndportId: the number of CA ports in other parts of the fabric that belong to hosts with a
/// port in a part in which this port's host has one. Empty if there are none, and if hosts are
/// distributed over the parts in too many ways for planes. `part`: by switch.
std::vector<std::uint64_t> ports_in_other_planes(const Fabric& fabric,
                                                 std::span<const std::uint32_t> part);

}  // namespace weft
