// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file that keeps the group numbers of leaves from sweep to sweep and across restarts:
// guid2argroup, a line `0xGUID NUMBER ...` for each switch with the numbers of its classes of LIDs.
#pragma once

#include <string>
#include <vector>

#include "base/files/cached_file.h"
#include "base/result.h"
#include "sm/adaptive/group_numbering.h"

namespace weft {

/// Content of the file; empty if there is none. A line that is malformed, or repeats a GUID or a
/// number, is dropped with a warning that names file and line; after kGroupNumberWarningsMax
/// warnings only the number of further warnings is returned. Fails with kEnvironment if the file
/// cannot be opened.
Result<GroupNumberMemory> read_group_numbers(const std::string& path,
                                             std::vector<std::string>& warnings);
inline constexpr std::size_t kGroupNumberWarningsMax = 20;

/// A line of the file, without the line end.
std::string group_number_line(Guid guid, const std::vector<std::uint16_t>& numbers);

/// Writes a temporary file and renames it. Fails with kEnvironment naming the path.
Status write_group_numbers(const std::string& path, const GroupNumberMemory& numbers);

inline constexpr CachedFormat<GroupNumberMemory> kGuid2ArGroup{
    "guid2argroup", "group numbers", read_group_numbers, write_group_numbers};

}  // namespace weft
