// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads GraphML. Files of `weft export graphml` keep everything but MTU, VLs and routes; of other
// graphs only nodes and edges are read. docs/reference/formats.md lists the attributes. Parser:
// expat, which limits the expansion of entities; declarations of entities are refused.
#pragma once

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_graphml(std::string_view head);

/// Edges may come before their nodes. Fails on hyperedges, nested graphs, edges to unknown nodes,
/// edges from a node to itself without ports, and invalid values of known attributes; each message
/// names file, line, and node or edge.
Status read_graphml(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                    Warnings& warnings);

}  // namespace weft
