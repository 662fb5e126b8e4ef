// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/counter_database.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "gmp/counter_dump.h"
#include "gmp/reading_tables.h"
#include "gmp/sqlite.h"

namespace weft {
namespace {

constexpr int kVersion = 2;  // version of the tables, in user_version
constexpr std::time_t kCompactSeconds = 60;
constexpr int kBusyMs = 2000;

std::string placeholders(std::size_t count) {
  std::string text = "?";
  for (std::size_t i = 1; i < count; ++i) text += ", ?";
  return text;
}

constexpr std::size_t kPortColumns = 5 + 2 * kCounterCount;
constexpr std::size_t kReadingColumns = 4 + kCounterCount;

std::string totals_of_version_1() {
  return "CREATE TABLE node (guid INTEGER PRIMARY KEY, name TEXT NOT NULL, active INTEGER NOT "
         "NULL);"
         "CREATE TABLE port (guid INTEGER, port INTEGER, last_reset INTEGER NOT NULL, errors_read "
         "INTEGER NOT NULL, data_read INTEGER NOT NULL" +
         counter_columns(", {} INTEGER NOT NULL") + counter_columns(", read_{} INTEGER NOT NULL") +
         ", PRIMARY KEY (guid, port)) WITHOUT ROWID;";
}

/// The seconds that the increase of a port covers; 0: unknown.
std::uint64_t seconds_covered(const PortTally& port) {
  const std::time_t read = std::max(port.errors_read, port.data_read);
  return port.since > 0 && read > port.since ? static_cast<std::uint64_t>(read - port.since) : 0;
}

void put_values(Statement& statement, const CounterValues& values) {
  for (const std::uint64_t value : values) statement.put(value);
}

CounterValues counters(Statement& statement) {
  CounterValues values{};
  for (std::uint64_t& value : values) value = statement.number();
  return values;
}

bool has_increase(const CounterValues& values) { return values != CounterValues{}; }

}  // namespace

tl::unexpected<Error> CounterDatabase::database_error(const char* doing) const {
  return fail(Code::kEnvironment, "{}: cannot {}: {}", path_, doing, sqlite3_errmsg(handle_.get()));
}

Status CounterDatabase::run(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return database_error("be used");
  return {};
}

Status CounterDatabase::prepare(bool& damaged) {
  int version = -1;
  {
    Statement version_query(handle_.get(), "PRAGMA user_version");
    if (version_query.row()) version = static_cast<int>(version_query.number());
    damaged = is_damaged(handle_.get());
  }
  if (version < 0) return database_error("be read");
  if (version > kVersion)
    return fail(Code::kEnvironment, "{}: has tables of version {}, expected at most {}", path_,
                version, kVersion);
  // auto_vacuum must be set before the first table is created. With it, the file shrinks when rows
  // are deleted.
  if (auto status = run("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA "
                        "synchronous = NORMAL; PRAGMA journal_size_limit = 4194304");
      !status)
    return status;
  return version == kVersion ? Status{} : create(version);
}

/// Creates the tables and columns that a database of this version lacks; version 0 lacks all.
Status CounterDatabase::create(int version) {
  std::string sql = "BEGIN IMMEDIATE;";
  if (version == 0) sql += totals_of_version_1() + readings_of_version_1();
  sql += additions_of_version_2() + fmt::format("PRAGMA user_version = {};COMMIT", kVersion);
  return run(sql.c_str());
}

Result<CounterDatabase> CounterDatabase::try_open(const std::string& path, bool& damaged) {
  auto handle = open_sqlite(path, kBusyMs);
  if (!handle) return forward(handle);
  CounterDatabase database(std::move(*handle), path);
  if (const auto status = database.prepare(damaged); !status) return forward(status);
  return database;
}

Result<CounterDatabase> CounterDatabase::open(const std::string& path) {
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    if (const auto made = make_directory(folder.string()); !made) return forward(made);
  bool damaged = false;
  auto database = try_open(path, damaged);
  if (database || !damaged) return database;
  const auto aside = rename_damaged(path);
  if (!aside) return database;
  log::warn("{}; moved to {}, counters restart at 0", database.error().message, *aside);
  return try_open(path, damaged);
}

Status CounterDatabase::restore(CounterStore& store) {
  Statement nodes(handle_.get(), "SELECT guid, name, active FROM node");
  while (nodes.row()) {
    const Guid guid(nodes.number());
    NodeTally tally;
    tally.name = nodes.text();
    tally.active = nodes.number() != 0;
    Statement ports(handle_.get(), "SELECT port, last_reset, errors_read, data_read" +
                                       counter_columns(", {}") + counter_columns(", read_{}") +
                                       " FROM port WHERE guid = ?");
    ports.put(guid.value());
    while (ports.row()) {
      PortTally& port = tally.ports[PortNum(static_cast<std::uint8_t>(ports.number()))];
      port.last_reset = ports.time();
      port.errors_read = ports.time();
      port.data_read = ports.time();
      port.total = counters(ports);
      port.previous = counters(ports);
      port.unwritten = false;
    }
    if (!ports.good()) return database_error("be read");
    store.restore(guid, std::move(tally));
  }
  if (!nodes.good()) return database_error("be read");
  return {};
}

Status CounterDatabase::write(const CounterStore& store, std::time_t now) {
  std::vector<std::uint64_t> gone;
  Statement known(handle_.get(), "SELECT guid FROM node");
  while (known.row())
    if (const std::uint64_t guid = known.number(); !store.nodes().contains(Guid(guid)))
      gone.push_back(guid);
  if (!known.good()) return database_error("be read");
  for (const char* table : {"node", "port"}) {
    Statement forget(handle_.get(), fmt::format("DELETE FROM {} WHERE guid = ?", table));
    for (const std::uint64_t guid : gone) {
      forget.put(guid);
      if (!forget.run()) return database_error("be written");
    }
  }
  Statement put_node(handle_.get(), "INSERT OR REPLACE INTO node VALUES (?, ?, ?)");
  Statement put_port(handle_.get(),
                     "INSERT OR REPLACE INTO port VALUES (" + placeholders(kPortColumns) + ")");
  Statement put_reading(handle_.get(),
                        "INSERT INTO reading VALUES (" + placeholders(kReadingColumns) + ")");
  for (const auto& [guid, node] : store.nodes()) {
    put_node.put(guid.value());
    put_node.put(node.name);
    put_node.put(std::uint64_t{node.active});
    if (!put_node.run()) return database_error("be written");
    for (const auto& [num, port] : node.ports) {
      if (!port.unwritten) continue;
      put_port.put(guid.value());
      put_port.put(std::uint64_t{num.value()});
      for (const std::time_t time : {port.last_reset, port.errors_read, port.data_read})
        put_port.put(static_cast<std::uint64_t>(time));
      put_values(put_port, port.total);
      put_values(put_port, port.previous);
      if (!put_port.run()) return database_error("be written");
      if (!has_increase(port.recent)) continue;
      put_reading.put(static_cast<std::uint64_t>(now));
      put_reading.put(guid.value());
      put_reading.put(std::uint64_t{num.value()});
      put_values(put_reading, port.recent);
      put_reading.put(seconds_covered(port));
      if (!put_reading.run()) return database_error("be written");
    }
  }
  return {};
}

tl::unexpected<Error> CounterDatabase::not_written(const std::string& why) const {
  return fail(Code::kEnvironment, "{}: cannot be written: {}", path_, why);
}

Status CounterDatabase::keep(const CounterStore& store, std::time_t now,
                             const ReadingRetention& keeping) {
  const bool compacts = now < compacted_ || now - compacted_ >= kCompactSeconds;
  ReadingTables readings(handle_.get());
  if (auto begun = run("BEGIN IMMEDIATE"); !begun) return begun;
  Status status = write(store, now);
  if (status && compacts && !readings.summarize(now, keeping))
    status = not_written(readings.error());
  if (status) status = run("COMMIT");
  if (!status) {
    (void)run("ROLLBACK");
    return status;
  }
  if (!compacts) return {};
  compacted_ = now;
  // A file that stays too large is no error of this function: the readings are written, and after
  // an error they would be written again.
  if (!readings.limit_size(now, keeping))
    log::error("{}", not_written(readings.error()).value().message);
  return {};
}

}  // namespace weft
