// Routes in a Graphviz graph, as the ORCS simulator reads them: the comment of an edge lists the
// destinations that packets take it for, "*" being all hosts; of a switch's edges the first that
// matches counts, in the file's order. A destination is named as its node ("H0002c903000e0b72"); a
// host's second and further cabled ports as NODE:PORT, and switches by name too, which ORCS passes
// over. There is room for one way to a port, so of an LMC range the first LID speaks for all.
#pragma once

#include <string>

#include "fabric/formats/dot.h"
#include "fabric/formats/write.h"
#include "routes/dump/read.h"

namespace weft {

/// Nodes are found by GUID, else by a description that only one node has. Edges of the file that
/// are no cables of the fabric, and destinations it does not know, are warnings. What hosts' own
/// edges list is not looked at: a host has no forwarding table.
Result<Lfts> read_dot_lfts(const Fabric& fabric, const std::string& path, Warnings& warnings);

/// The fabric as write_dot writes it, with lists, and with `more` attributes of each edge.
void write_dot_routes(const Fabric& fabric, const Routes& routes, const Append& append,
                      const DotAttributes& more = {});

}  // namespace weft
