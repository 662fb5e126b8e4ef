// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads GraphML. A file of `weft export graphml` contains the whole fabric except MTU and VLs; its
// forwarding tables are not read. Unknown attributes are skipped; docs/reference/formats.md lists
// the known attributes. The parser is expat, which limits the expansion of entities. Declarations
// of entities are refused.
#pragma once

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_graphml(std::string_view head);

/// Edges may come before their nodes. Fails on hyperedges, several graphs, edges to unknown nodes,
/// edges from a node to itself without ports, and invalid values of known attributes; each message
/// names file, line, and node or edge.
Status read_graphml(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                    Warnings& warnings);

}  // namespace weft
