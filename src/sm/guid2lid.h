// The file that keeps LIDs across restarts, in OpenSM's format: a line `0xGUID 0xFIRST 0xLAST` a
// port, blank lines between.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"

namespace weft {

using LidMemory = std::map<Guid, LidRange>;

/// What the file holds; empty where there is none. A line that is damaged, not a valid range, or
/// overlaps an earlier one is dropped with a warning naming file and line. Fails with kEnvironment
/// where the file cannot be read.
Result<LidMemory> read_guid2lid(const std::string& path, std::vector<std::string>& warnings);

/// Writes aside and renames. Fails with kEnvironment naming the path.
Status write_guid2lid(const std::string& path, const LidMemory& memory);

}  // namespace weft
