// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/reading_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "gmp/counter_dump.h"
#include "gmp/sqlite.h"

namespace weft {
namespace {

constexpr std::time_t kMinute = 60, kHour = 3600;  // steps of the sums, in seconds
constexpr double kTargetShare = 0.9;               // target of limit_size(), relative to bytes_max

/// SQL for the sums of `source` up to a time: one row for each port and interval of `step` seconds.
/// The time of a row is that of its last reading.
std::string sum_statement(const char* source, std::time_t step, std::time_t until) {
  return fmt::format(
             "INSERT INTO summary SELECT {0}, max(time), max(time) - min(time - seconds), guid, "
             "port",
             step) +
         counter_columns((std::string(", ") + kIntegerSum).c_str()) +
         counter_columns(", max(max_{})") +
         fmt::format(" FROM series WHERE {} AND time <= {} GROUP BY guid, port, (time - 1) / {};",
                     source, until, step);
}

}  // namespace

std::string counter_columns(const char* pattern) {
  std::string text;
  for (std::size_t i = 0; i < kCounterCount; ++i)
    text += fmt::format(fmt::runtime(pattern), dump_name(counter_at(i)));
  return text;
}

std::string readings_of_version_1() {
  return "CREATE TABLE reading (time INTEGER NOT NULL, guid INTEGER NOT NULL, port INTEGER NOT "
         "NULL" +
         counter_columns(", {} INTEGER NOT NULL") +
         ");"
         "CREATE INDEX reading_time ON reading (time);"
         "CREATE INDEX reading_port ON reading (guid, port, time);";
}

std::string additions_of_version_2() {
  return "ALTER TABLE reading ADD COLUMN seconds INTEGER NOT NULL DEFAULT 0;"
         "CREATE TABLE summary (step INTEGER NOT NULL, time INTEGER NOT NULL, seconds INTEGER NOT "
         "NULL, guid INTEGER NOT NULL, port INTEGER NOT NULL" +
         counter_columns(", {} INTEGER NOT NULL") + counter_columns(", max_{} REAL NOT NULL") +
         ");"
         "CREATE INDEX summary_time ON summary (step, time);"
         "CREATE INDEX summary_port ON summary (guid, port, time);"
         "CREATE VIEW series AS SELECT 0 AS step, time, seconds, guid, port" +
         counter_columns(", {}") +
         counter_columns(
             ", CASE WHEN seconds > 0 THEN max({0}, 0) * 1.0 / seconds ELSE 0 END AS max_{0}") +
         " FROM reading UNION ALL SELECT step, time, seconds, guid, port" +
         counter_columns(", {}") + counter_columns(", max_{}") + " FROM summary;";
}

bool ReadingTables::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return true;
  error_ = sqlite3_errmsg(handle_);
  return false;
}

std::int64_t ReadingTables::number(const std::string& sql) const {
  Statement select(handle_, sql);
  return select.row() ? static_cast<std::int64_t>(select.number()) : 0;
}

std::uint64_t ReadingTables::bytes() const {
  return static_cast<std::uint64_t>(
      (number("PRAGMA page_count") - number("PRAGMA freelist_count")) * number("PRAGMA page_size"));
}

/// SQL that replaces old rows by sums. `slice`: maximum seconds of rows to sum, so that the
/// database of an older version is summed in parts; 0: no limit.
std::string ReadingTables::sums(std::time_t now, const ReadingRetention& keeping,
                                std::time_t slice) const {
  const auto due = [&](std::chrono::seconds kept, std::time_t step, const char* oldest) {
    std::time_t until = now - static_cast<std::time_t>(kept.count());
    if (const std::int64_t first = slice > 0 ? number(oldest) : 0; first > 0)
      until = std::min<std::time_t>(until, first + slice);
    return std::max<std::time_t>(0, until - until % step);
  };
  const std::time_t minutes = due(keeping.full, kMinute, "SELECT min(time) FROM reading");
  // Sums only hours of which all minutes are summed.
  const std::time_t hours =
      std::min(due(keeping.minutes, kHour, "SELECT min(time) FROM summary WHERE step = 60"),
               minutes - minutes % kHour);
  return sum_statement("step = 0", kMinute, minutes) +
         fmt::format("DELETE FROM reading WHERE time <= {};", minutes) +
         sum_statement("step = 60", kHour, hours) +
         fmt::format("DELETE FROM summary WHERE step = 60 AND time <= {};", hours);
}

bool ReadingTables::summarize(std::time_t now, const ReadingRetention& keeping) {
  const std::time_t oldest =
      now - static_cast<std::time_t>(std::chrono::seconds(keeping.retention).count());
  return run(fmt::format("DELETE FROM reading WHERE time < {0};"
                         "DELETE FROM summary WHERE step IN (60, 3600) AND time < {0};",
                         oldest)) &&
         run(sums(now, keeping, kHour));
}

bool ReadingTables::in_transaction(const std::string& sql) {
  if (run("BEGIN IMMEDIATE;" + sql + "COMMIT")) return true;
  if (sqlite3_get_autocommit(handle_) == 0)
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  return false;
}

/// The times of the oldest and the newest row.
std::pair<std::int64_t, std::int64_t> ReadingTables::span() const {
  return {number("SELECT min(time) FROM series"), number("SELECT max(time) FROM series")};
}

bool ReadingTables::limit_size(std::time_t now, const ReadingRetention& keeping) {
  const auto goal =
      static_cast<std::uint64_t>(static_cast<double>(keeping.bytes_max) * kTargetShare);
  const std::string shrink = "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)";
  const bool is_too_large = bytes() > keeping.bytes_max;
  ReadingRetention shorter = keeping;
  while (is_too_large && bytes() > goal && shorter.full.count() > kMinute) {
    shorter.full /= 2;
    shorter.minutes /= 2;
    if (!in_transaction(sums(now, shorter, 0)) || !run(shrink)) return false;
  }
  constexpr int kCutsMax = 64;
  for (int cut = 0; is_too_large && bytes() > goal && cut < kCutsMax; ++cut) {
    const auto [oldest, newest] = span();
    if (newest <= oldest) break;
    const std::int64_t end = oldest + std::max<std::int64_t>(1, (newest - oldest) / 10);
    if (!in_transaction(fmt::format("DELETE FROM reading WHERE time <= {0};"
                                    "DELETE FROM summary WHERE step IN (60, 3600) AND time <= {0};",
                                    end)) ||
        !run(shrink))
      return false;
  }
  return true;
}

}  // namespace weft
