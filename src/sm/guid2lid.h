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
/// overlaps an earlier one is dropped with a warning naming file and line, and so is everything
/// from a place on where the file cannot be read any further. Of many warnings the first
/// kGuid2LidWarningsMax and the count of the others are given. Fails with kEnvironment where the
/// file cannot be opened.
Result<LidMemory> read_guid2lid(const std::string& path, std::vector<std::string>& warnings);
inline constexpr std::size_t kGuid2LidWarningsMax = 20;

/// Keeps the content that the file has now under another name in the same folder, whatever is
/// written to the file later, and says which. Fails with kEnvironment naming the path.
Result<std::string> keep_aside(const std::string& path);

/// Writes aside and renames. Fails with kEnvironment naming the path.
Status write_guid2lid(const std::string& path, const LidMemory& memory);

}  // namespace weft
