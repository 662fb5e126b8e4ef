// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The LIDs of earlier sweeps and earlier runs, and the file that keeps them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sm/lids/guid2lid.h"

namespace weft {

class LidStore {
 public:
  /// The LIDs known so far; at the first call they are read from the file in `cache_dir` (empty: no
  /// file), except with `reassign`. Appends to `warnings`.
  LidMemory& recall(const std::string& cache_dir, bool reassign,
                    std::vector<std::string>& warnings);
  /// LIDs that ports hold from the previous master take precedence over earlier ones. Call it after
  /// recall().
  void adopt(const Fabric& fabric);
  /// Writes the file if the LIDs differ from those that it has.
  void save(const std::string& cache_dir, std::vector<std::string>& warnings);
  /// The LIDs known so far, without reading a file.
  LidMemory known() const { return lids_.value_or(LidMemory{}); }
  /// Another manager was master: the next recall() reads the file again.
  void forget() { lids_.reset(); }

 private:
  void keep_damaged_file(const std::string& path, std::vector<std::string>& warnings);

  std::optional<LidMemory> lids_;
  std::optional<LidMemory> saved_;  // in the file, as far as they apply; none if it is damaged
  bool may_overwrite_ = true;       // overwriting the file loses no data
};

}  // namespace weft
