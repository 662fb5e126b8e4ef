// ibdiagnet2's db_csv: sections between START_NAME and END_NAME, each with a line of column names
// and rows of comma-separated values. A fabric is in NODES, PORTS, SWITCHES and LINKS, in any
// order; the other sections are passed over.
#pragma once

#include <string_view>

#include "fabric/formats/format.h"

namespace weft {

/// Whether a section begins.
bool looks_like_db_csv(std::string_view head);

/// Columns are found by name, and a value may be N/A. A row about a node or port that NODES does
/// not hold is a warning; a row that cannot be parsed, or a column that is missing, is an error.
Status read_db_csv(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                   Warnings& warnings);

}  // namespace weft
