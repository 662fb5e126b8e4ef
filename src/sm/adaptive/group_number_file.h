// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file guid2argroup, which stores the group numbers of leaves from sweep to sweep and across
// restarts. A line `0xGUID NUMBER ...` has the numbers of the classes of LIDs of a switch.
#pragma once

#include <string>
#include <vector>

#include "base/files/cached_file.h"
#include "base/result.h"
#include "sm/adaptive/group_numbering.h"

namespace weft {

/// Content of the file; empty if there is no file. Drops a line that is malformed or repeats a GUID
/// or a number, with a warning that contains file and line. After kGroupNumberWarningsMax warnings,
/// a warning states only the number of further warnings. Fails with kEnvironment if the file cannot
/// be opened.
Result<GroupNumberMemory> read_group_numbers(const std::string& path,
                                             std::vector<std::string>& warnings);
inline constexpr std::size_t kGroupNumberWarningsMax = 20;

/// A line of the file, without the line end.
std::string group_number_line(Guid guid, const std::vector<std::uint16_t>& numbers);

/// Writes the file, by a temporary file that is renamed. Fails with kEnvironment; the message
/// contains the path.
Status write_group_numbers(const std::string& path, const GroupNumberMemory& numbers);

inline constexpr CachedFormat<GroupNumberMemory> kGuid2ArGroup{
    "guid2argroup", "group numbers", read_group_numbers, write_group_numbers};

}  // namespace weft
