// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The time series of the counter database: readings as they were read, then sums with maxima over
// minutes, then over hours. docs/reference/performance-manager.md describes the tables.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <ctime>
#include <string>
#include <utility>

#include "gmp/options.h"

namespace weft {

/// The pattern for each counter, "{}" being its column: ", {} INTEGER NOT NULL".
std::string counter_columns(const char* pattern);

/// SQL that creates the table of readings, and its column `seconds`, which version 1 lacks.
std::string readings_of_version_1();
/// SQL that adds what version 2 has: that column, the sums, and a view of both tables.
std::string additions_of_version_2();

class ReadingTables {
 public:
  explicit ReadingTables(sqlite3* handle) : handle_(handle) {}

  /// Sums readings older than their resolution is kept, and deletes what is too old. Within a
  /// transaction. False: error() has the reason.
  bool summarise(std::time_t now, const ReadingRetention& keeping);
  /// Outside of one: if the file has more than bytes_max, sums younger readings too, then deletes
  /// the oldest rows.
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
