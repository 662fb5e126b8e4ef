// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The part of a fabric that a step of a chain routes, as a separate fabric.
#pragma once

#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

/// Returns the switches with a port in `switch_ports`, the cables between two ports in
/// `switch_ports`, and the ports of CAs and routers in `host_ports` that are cabled to such
/// switches. Both lists are by PortId. GUIDs and port numbers do not change. The LID of a port is
/// its first LID plus `path_bit`; a port with fewer LIDs has none. Fails with kUnroutable if the
/// part has no switch.
Result<Fabric> part_of(const Fabric& whole, const std::vector<bool>& switch_ports,
                       const std::vector<bool>& host_ports, unsigned path_bit);

}  // namespace weft
