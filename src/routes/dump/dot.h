// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes in a Graphviz graph, in the format of the ORCS simulator: the comment of an edge lists the
// destinations that are routed over the edge; "*" stands for all hosts. A switch uses the first of
// its edges, in file order, that lists the destination. A destination has the name of its node
// ("H0002c903000e0b72"); the second and further cabled ports of a host are NODE:PORT. Switches are
// listed by name, too; ORCS ignores these entries. The format has one path to a port, so the first
// LID of an LMC range represents all.
#pragma once

#include <string>

#include "fabric/formats/dot/dot.h"
#include "fabric/formats/write.h"
#include "routes/dump/read.h"

namespace weft {

/// Reads the tables. Nodes are matched by GUID, or else by a description that only one node has.
/// Edges that are not cables of the fabric, and unknown destinations, cause warnings. Lists on the
/// edges of hosts are ignored, because a host has no forwarding table. Fails as read_lfts() does.
Result<Lfts> read_dot_lfts(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// Writes the fabric as write_dot() does, with destination lists, and with the attributes that
/// `more` returns for each edge.
void write_dot_routes(const Fabric& fabric, const Routes& routes, const Append& append,
                      const DotAttributes& more = {});

}  // namespace weft
