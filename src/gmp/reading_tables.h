// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The time series of the counter database: readings, then sums with maxima over minutes, then over
// hours. The tables are described in docs/reference/performance-manager.md.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <utility>

#include "gmp/options.h"

namespace weft {

/// Repeats the pattern for each counter, such as ", {} INTEGER NOT NULL"; "{}" is replaced by the
/// column of the counter.
std::string counter_columns(const char* pattern);

/// SQL that creates the table of readings of version 1, without the column `seconds`.
std::string readings_of_version_1();
/// SQL that adds the parts of version 2: the column `seconds`, the sums, and a view of both tables.
std::string additions_of_version_2();

class ReadingTables {
 public:
  explicit ReadingTables(sqlite3* handle) : handle_(handle) {}

  /// Sums rows that are older than the time for which their resolution is kept, at most one hour of
  /// readings and one hour of minutes in each call, and deletes rows after their retention. Must be
  /// called within a transaction. Returns false on failure; error() has the reason.
  bool summarize(std::time_t now, const ReadingRetention& keeping);
  /// If the file is larger than bytes_max, also sums younger readings, then deletes the oldest
  /// rows, until 90 % of bytes_max are reached, only the newest rows are left, or rows were deleted
  /// 64 times. Must be called outside of a transaction. Returns false on failure; error() has the
  /// reason.
  bool limit_size(std::time_t now, const ReadingRetention& keeping);
  const std::string& error() const { return error_; }
  /// Size of the file without its free pages.
  std::uint64_t bytes() const;

 private:
  bool run(const std::string& sql);
  bool in_transaction(const std::string& sql);
  std::string sums(std::time_t now, const ReadingRetention& keeping, std::time_t slice) const;
  std::int64_t number(const std::string& sql) const;
  std::pair<std::int64_t, std::int64_t> span() const;

  sqlite3* handle_;
  std::string error_;
};

}  // namespace weft
