// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the db_csv of ibdiagnet2: sections between START_NAME and END_NAME, each with a line of
// column names and rows of comma-separated values. The sections NODES, PORTS, SWITCHES and LINKS,
// in any order, describe the fabric; other sections are skipped.
#pragma once

#include <string_view>

#include "fabric/formats/format.h"

namespace weft {

/// Whether `head` holds the start of a section.
bool looks_like_db_csv(std::string_view head);

/// Columns are found by name, and a value may be N/A. A row about a node that is missing in NODES
/// is left out with a warning. Errors are a row that cannot be parsed, one of the four sections
/// without its end or without the columns that identify nodes and ports, a section NODES without
/// NodeType or NumPorts, two rows of one node in NODES, and a file without nodes.
Status read_db_csv(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                   Warnings& warnings);

}  // namespace weft
