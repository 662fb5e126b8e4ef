// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What observations show about the health of ports. Links of the manager's own CA are left out: its
// port and the port of the peer are never unhealthy.
#pragma once

#include <optional>
#include <vector>

#include "sm/health/port_health.h"
#include "sm/lids/guid2lid.h"
#include "sm/observed.h"

namespace weft {

/// The port at one end of a link; either end may be given. Of the two ports, that of the node
/// farther from the manager. A port of a switch without a link counts as the near end.
std::optional<HealthPort> health_port(const Observed& observed, NodeId node, PortNum port);
/// The port of the node by which the manager reaches it.
std::optional<HealthPort> health_port_of(const Observed& observed, NodeId node);
/// The port behind the last hop of a path, of a node that may not be part of the observation.
std::optional<HealthPort> health_port_at(const Observed& observed, const DirectedPath& path);

using HealthFindings = std::vector<PortHealth::Finding>;

/// Links that went down since `before`: the near node is still there, but its port is down, or is
/// in INIT again.
HealthFindings flapping_ports(const Observed& before, const Observed& now);
/// Ports without a response.
HealthFindings unresponsive_ports(const Observed& now);
/// Ports that answered with impossible values.
HealthFindings illegal_ports(const Observed& now);
/// Nodes with a LID in `known` that hold none now, and held one in `before` or were not there.
HealthFindings restarted_nodes(const Observed& before, const Observed& now, const LidMemory& known);

}  // namespace weft
