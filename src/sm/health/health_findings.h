// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Findings about the health of ports in an observation. Links of the manager's own CA are left out:
// neither their ports on the CA nor their peers count as unhealthy.
#pragma once

#include <optional>
#include <vector>

#include "sm/health/port_health.h"
#include "sm/lids/guid2lid.h"
#include "sm/observed.h"

namespace weft {

/// Of the two ports of a link, the port that counts as unhealthy: the port of the node farther from
/// the manager. `port` may be either end. A switch port without a link counts as the near end. None
/// for port 0, for a port without a switch at the near end, and for links of the manager's own CA.
std::optional<HealthPort> health_port(const Observed& observed, NodeId node, PortNum port);
/// The port of a node through which the manager reaches the node; none for the manager's own node,
/// and for a node without a path from a switch.
std::optional<HealthPort> health_port_of(const Observed& observed, NodeId node);
/// The port at the other end of the last hop of a path; its node may be absent from the
/// observation.
std::optional<HealthPort> health_port_at(const Observed& observed, const DirectedPath& path);

using HealthFindings = std::vector<PortHealth::Finding>;

/// Links that went down since `before`: the near switch is still present, but its port is down, or
/// in INIT again. Avoided links and links of a near switch that was restarted are left out.
HealthFindings flapping_ports(const Observed& before, const Observed& now);
/// Ports behind which a request got no response.
HealthFindings unresponsive_ports(const Observed& now);
/// Ports that answered with impossible values.
HealthFindings illegal_ports(const Observed& now);
/// Nodes with a LID in `known` that have no LID now, and either had one in `before` or were absent.
HealthFindings restarted_nodes(const Observed& before, const Observed& now, const LidMemory& known);

}  // namespace weft
