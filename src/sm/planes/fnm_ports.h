// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fabric-management (FNM) ports in a discovered fabric. Discovery by directed routes uses all
// links. Afterwards the FNM links are removed from the graph, so that no data route, multicast tree
// or plane contains them.
#pragma once

#include <set>

#include "sm/observed.h"
#include "sm/pauses.h"
#include "sm/planes/plane_memory.h"

namespace weft {

/// Marks the FNM ports of the devices, and only those, in the observed fabric. Directed paths do
/// not change: they may contain FNM links.
void separate_fnm_links(Observed& observed, const PlanarDevices& devices);

/// Whether separate_fnm_links() would change the observed fabric.
bool has_other_fnm_ports(const Observed& observed, const PlanarDevices& devices);

/// GUIDs of the switches with ports of which ExtendedPortInfo was not answered, if their pauses
/// have ended. Planes that FNM links join are one network until these ports are read.
std::set<Guid> fnm_ports_to_retry(const Observed& observed, const DevicePauses& pauses, TimeNs now);

}  // namespace weft
