// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares the ports from which emulated switches select, by input port and SL, with the published
// routes. Also compares which switches use private tables (pLFTs) with the switches that use them
// according to the capabilities of the devices.
#pragma once

#include <string>

#include "emulator/emulated_fabric.h"
#include "routes/routes.h"

namespace weft::simulation {

/// The first switch with adaptive routing that, for some input port, SL and LID, selects from other
/// ports than the routes, with the difference; empty if there is none. `known` is the fabric of the
/// routes.
std::string find_differing_ports(const EmulatedFabric& emulated, const Fabric& known,
                                 const Routes& routes);

/// The first switch that uses private tables although dfp2 uses none there, or does not use them
/// although dfp2 does; empty if there is none. Routes of dfp2 are computed for this, for the
/// capabilities of the devices as `options` determine them, not as a manager has read them.
std::string find_differing_use_of_tables(const EmulatedFabric& emulated,
                                         const EmulatorOptions& options, const Fabric& known);

}  // namespace weft::simulation
