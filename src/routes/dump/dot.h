// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes in a Graphviz graph, in the format of the ORCS simulator: the comment of an edge lists the
// destinations routed over it, "*" being all hosts; of a switch's edges, in file order, the first
// that matches is used. A destination is named as its node ("H0002c903000e0b72"); a host's second
// and further cabled ports as NODE:PORT, and switches by name too, which ORCS ignores. The format
// has one path to a port, so the first LID of an LMC range represents all.
#pragma once

#include <string>

#include "fabric/formats/dot/dot.h"
#include "fabric/formats/write.h"
#include "routes/dump/read.h"

namespace weft {

/// Nodes are matched by GUID, else by a description that only one node has. Edges that are no
/// cables of the fabric, and unknown destinations, are warnings. Lists on hosts' own edges are
/// ignored: a host has no forwarding table.
Result<Lfts> read_dot_lfts(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// The fabric as write_dot writes it, with destination lists, and with `more` attributes of each
/// edge.
void write_dot_routes(const Fabric& fabric, const Routes& routes, const Append& append,
                      const DotAttributes& more = {});

}  // namespace weft
