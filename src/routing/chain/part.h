// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The part of a fabric that a step of a chain routes, as a fabric of its own.
#pragma once

#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

/// Switches with a port in `switch_ports`, the cables between them of which both ends are in it,
/// and ports of CAs and routers in `host_ports` that are cabled to such switches. Both are by
/// PortId. GUIDs and port numbers stay; each port has one LID, which is `path_bit` above its first,
/// or none if its LMC has fewer LIDs. Fails with kUnroutable if the part has no switch.
Result<Fabric> part_of(const Fabric& whole, const std::vector<bool>& switch_ports,
                       const std::vector<bool>& host_ports, unsigned path_bit);

}  // namespace weft
