// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads GraphML. A file of `weft export graphml` contains nodes with their GUIDs, cables with width
// and speed, and LIDs, but no MTU, VLs, port GUIDs, or vendor, device and revision numbers. Its
// forwarding tables are not read. Unknown attributes are skipped; docs/reference/formats.md lists
// the known attributes. The parser is expat, which limits the expansion of entities. Declarations
// of entities are refused.
#pragma once

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_graphml(std::string_view head);

/// Edges may come before their nodes. Fails on hyperedges, several graphs, edges to unknown nodes,
/// edges from a node to itself without ports, and invalid values of known attributes. Each message
/// has the file and, except for a graph without nodes, the line; it has the node or the edge if the
/// error belongs to one.
Status read_graphml(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                    Warnings& warnings);

}  // namespace weft
