// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The group numbers of leaves from sweep to sweep, and the file that keeps them across restarts:
// guid2argroup, a line `0xGUID NUMBER ...` for each switch with the numbers of its classes of LIDs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sm/adaptive/group_numbering.h"

namespace weft {

/// Content of the file; empty if there is none. A line that is malformed, or repeats a GUID or a
/// number, is dropped with a warning naming file and line; at most kGroupNumberWarningsMax warnings
/// are returned, then the count of the others. Fails with kEnvironment if it cannot be opened.
Result<GroupNumberMemory> read_group_numbers(const std::string& path,
                                             std::vector<std::string>& warnings);
inline constexpr std::size_t kGroupNumberWarningsMax = 20;

/// Writes a temporary file and renames it. Fails with kEnvironment naming the path.
Status write_group_numbers(const std::string& path, const GroupNumberMemory& numbers);

class GroupNumberStore {
 public:
  /// The numbers known so far; at the first call they are read from the file in `cache_dir` (empty:
  /// no file). Appends to `warnings`.
  GroupNumberMemory& recall(const std::string& cache_dir, std::vector<std::string>& warnings);
  /// Writes the file if the numbers differ from those that it has. A damaged file is copied first.
  void save(const std::string& cache_dir, std::vector<std::string>& warnings);

 private:
  std::optional<GroupNumberMemory> numbers_;
  std::optional<GroupNumberMemory> saved_;  // in the file; none if it is damaged
  bool may_overwrite_ = true;               // overwriting the file loses no data
};

}  // namespace weft
