// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Endports by port GUID where several ports of a CA have one GUID, as the plane ports of an
// aggregated port may have. Fabric::find_endport() returns the first of these endports.
#pragma once

#include <optional>
#include <vector>

#include "fabric/fabric.h"

namespace weft {

/// All endports with this port GUID at the node of Fabric::find_endport(), in order.
std::vector<EndportId> find_endports(const Fabric& fabric, Guid port_guid);

/// The endport with the GUID of a port, which may be of another fabric. If several endports of the
/// node have the GUID, the endport with the number of the port, else the first of them.
std::optional<EndportId> find_endport_of(const Fabric& fabric, const Port& port);

}  // namespace weft
