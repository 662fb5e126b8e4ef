// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of planes and aggregated ports.
#pragma once

#include <optional>

#include "service/http/data/json.h"
#include "service/sm_board.h"

namespace weft::http_data {

/// JSON of the verdict on each plane; the list is empty if the fabric has no planes. `stated`:
/// argument of plane_verdicts().
Json planes(const Fabric& fabric, const Verdict& verdict, std::uint32_t stated = 0);
/// JSON of the counts of the devices that report their planes.
Json planar_devices(const PlaneReport& report);

/// JSON of the numbers of fabric-management ports, links and systems, and of the findings.
Json fnm(const PlaneReport& report);

/// JSON of the active routes: the verdict on each plane with the number of aggregated ports that
/// have no link in the plane, the counts of the devices that report their planes, and the findings
/// about FNM rings.
Json planes(const Snapshot& snapshot);

/// JSON of the aggregated ports of planarized devices. `node`: only aggregated ports with a port of
/// this node.
Json aports(const Snapshot& snapshot, std::optional<NodeId> node, Page page);

}  // namespace weft::http_data
