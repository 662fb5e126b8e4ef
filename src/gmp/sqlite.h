// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SQLite files, statements, and a time limit for the statements of a connection. The parameters of
// a statement are bound, and its columns are read, from left to right. SQLite's integers are
// signed: 64-bit values are stored with the same bit pattern.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft {

struct CloseSqlite {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;

/// Opens or creates a file. `busy_ms`: milliseconds for which a statement waits for the locks of
/// other connections. Fails with kEnvironment naming the path.
Result<SqliteHandle> open_sqlite(const std::string& path, int busy_ms);

/// Whether the last failure was a damaged file.
bool is_damaged(sqlite3* handle);

/// Whether a result row of quick_check states damage. A page that could not be read because of an
/// I/O error is not damaged.
bool states_damage(std::string_view row);

/// Renames a damaged database and deletes its files -wal and -shm. Returns the new name, or none if
/// the database could not be renamed.
std::optional<std::string> rename_damaged(const std::string& path);

/// Ends the statements of a connection with SQLITE_INTERRUPT after this time; 0: never. The result
/// must outlive the statements, but may outlive the connection.
using QueryDeadline = std::unique_ptr<std::chrono::steady_clock::time_point>;
QueryDeadline end_queries_after(sqlite3* handle, std::chrono::nanoseconds time_max);

/// SQL pattern of the sum of the column that replaces "{}"; negative values count as 0. The sum is
/// exact up to 2^53, and there is no integer overflow, which would end the statement.
inline constexpr const char* kIntegerSum = "CAST(total(max({}, 0)) AS INTEGER)";

/// One prepared statement.
class Statement {
 public:
  Statement(sqlite3* handle, const std::string& sql) {
    good_ = sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement_, nullptr) == SQLITE_OK;
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void put(std::uint64_t value) {
    good_ &=
        sqlite3_bind_int64(statement_, ++place_, static_cast<sqlite3_int64>(value)) == SQLITE_OK;
  }
  void put(std::string_view text) {
    good_ &= sqlite3_bind_text(statement_, ++place_, text.data(), static_cast<int>(text.size()),
                               SQLITE_TRANSIENT) == SQLITE_OK;
  }
  void put(double value) { good_ &= sqlite3_bind_double(statement_, ++place_, value) == SQLITE_OK; }
  /// Runs a statement without result rows; parameters can then be bound again.
  bool run() {
    if (good_) good_ = sqlite3_step(statement_) == SQLITE_DONE;
    if (statement_ != nullptr) sqlite3_reset(statement_);
    place_ = 0;
    return good_;
  }
  /// Steps to the next result row. Returns false after the last row, and on failure: see good().
  bool row() {
    place_ = -1;
    if (!good_) return false;
    const int what = sqlite3_step(statement_);
    good_ = what == SQLITE_ROW || what == SQLITE_DONE;
    return what == SQLITE_ROW;
  }
  std::uint64_t number() {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_, ++place_));
  }
  double real() { return sqlite3_column_double(statement_, ++place_); }
  std::time_t time() { return static_cast<std::time_t>(number()); }
  std::string text() {
    const auto* bytes = sqlite3_column_text(statement_, ++place_);
    return bytes == nullptr ? "" : reinterpret_cast<const char*>(bytes);
  }
  bool good() const { return good_; }

 private:
  sqlite3_stmt* statement_ = nullptr;
  bool good_ = false;
  int place_ = 0;
};

}  // namespace weft
