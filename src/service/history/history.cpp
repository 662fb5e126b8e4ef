// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/history/history.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "service/history/history_rows.h"
#include "service/history/traffic_sums.h"

namespace weft {
namespace {

constexpr int kVersion = 1;  // schema version, stored in user_version
constexpr const char* kImmutable =
    "?mode=ro&immutable=1";              // SQLite opens the file without locks and without writes
constexpr double kRemainingShare = 0.9;  // size after deletion, relative to bytes_max

constexpr const char* kTables =
    "PRAGMA auto_vacuum = INCREMENTAL;"
    "BEGIN IMMEDIATE;"
    "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, kind TEXT "
    "NOT "
    "NULL, node INTEGER NOT NULL, peer INTEGER NOT NULL, line TEXT NOT NULL);"
    "CREATE INDEX event_time ON event (time);"
    "CREATE INDEX event_node ON event (node, time) WHERE node != 0;"
    "CREATE INDEX event_peer ON event (peer, time) WHERE peer != 0;"
    "CREATE TABLE sweep (ended INTEGER NOT NULL, begun INTEGER NOT NULL, number INTEGER NOT NULL, "
    "reason TEXT NOT NULL, up INTEGER NOT NULL, error TEXT NOT NULL, changes INTEGER NOT NULL);"
    "CREATE INDEX sweep_ended ON sweep (ended);"
    "CREATE TABLE counter (begin INTEGER NOT NULL, seconds INTEGER NOT NULL, node INTEGER NOT "
    "NULL, "
    "port INTEGER NOT NULL, sent_bytes INTEGER NOT NULL, received_bytes INTEGER NOT NULL, "
    "wait_ticks INTEGER NOT NULL, errors INTEGER NOT NULL);"
    "CREATE INDEX counter_begin ON counter (begin);"
    "CREATE INDEX counter_node ON counter (node, begin);"
    "PRAGMA user_version = 1;"
    "COMMIT;";

/// The table with the identity of a history, which copies of the history refer to.
constexpr const char* kIdentity =
    "CREATE TABLE IF NOT EXISTS identity (id INTEGER NOT NULL);"
    "INSERT INTO identity SELECT abs(random() % 4611686018427387904) + 1 WHERE NOT EXISTS (SELECT "
    "1 "
    "FROM identity)";

/// SQL columns with the sums of the counters.
std::string counter_sums() {
  std::string text;
  for (const char* column : {"sent_bytes", "received_bytes", "wait_ticks", "errors"})
    text += ", " + fmt::format(fmt::runtime(kIntegerSum), column);
  return text;
}

}  // namespace

// ---- writing

tl::unexpected<Error> HistoryDatabase::failure(const char* doing) const {
  damaged_ = weft::is_damaged(handle_.get());
  return fail(Code::kEnvironment, "{}: cannot {}: {}", path_, doing, sqlite3_errmsg(handle_.get()));
}

Status HistoryDatabase::run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return failure("be used");
  return {};
}

Status HistoryDatabase::done(bool good) {
  if (!good) return failure("be written");
  return {};
}

std::uint64_t HistoryDatabase::pragma(const char* name) const {
  Statement select(handle_.get(), std::string("PRAGMA ") + name);
  return select.row() ? select.number() : 0;
}

Status HistoryDatabase::prepare(bool& damaged) {
  int version = -1;
  {
    Statement select(handle_.get(), "PRAGMA user_version");
    if (select.row()) version = static_cast<int>(select.number());
  }
  if (version < 0) {
    auto why = failure("be read");
    damaged = damaged_;
    return why;
  }
  if (version != 0 && version != kVersion)
    return fail(Code::kEnvironment, "{}: found schema version {}, expected {}", path_, version,
                kVersion);
  if (version == 0)
    if (auto status = run(kTables); !status) return status;
  if (auto status = run(kIdentity); !status) {
    damaged = damaged_;
    return status;
  }
  auto status =
      run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; "
          "PRAGMA journal_size_limit = "
          "4194304");
  damaged = damaged_;
  return status;
}

/// Searches for damage inside the file, which opening does not detect.
Status HistoryDatabase::check(bool& damaged) const {
  Statement check(handle_.get(), "PRAGMA quick_check(1)");
  if (!check.row()) {
    auto why = failure("be checked");
    damaged = damaged_;
    return why;
  }
  const std::string row = check.text();
  if (row == "ok") return {};
  damaged = states_damage(row);
  return fail(Code::kEnvironment, "{}: cannot be checked: I/O error", path_);
}

Result<HistoryDatabase> HistoryDatabase::try_open(const std::string& path, bool& damaged) {
  auto handle = open_sqlite(path, kHistoryBusyMs);
  if (!handle) return forward(handle);
  HistoryDatabase database(std::move(*handle), path);
  if (const auto status = database.prepare(damaged); !status) return forward(status);
  return database;
}

Result<HistoryDatabase> HistoryDatabase::open(const std::string& path) {
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    if (const auto made = make_directory(folder.string()); !made) return forward(made);
  bool damaged = false;
  auto database = try_open(path, damaged);
  Status checked;
  if (database) checked = database->check(damaged);
  if (!checked && !damaged) return forward(checked);
  if (!damaged) return database;
  const std::string why = database ? path + ": is damaged" : database.error().message;
  database = fail(Code::kEnvironment, "{}", why);  // closes the database
  const auto moved_to = rename_damaged(path);
  if (!moved_to) return database;
  log::warn("{}; moved to {}, starting a new history", why, *moved_to);
  return try_open(path, damaged);
}

Status HistoryDatabase::begin() { return run("BEGIN IMMEDIATE"); }
Status HistoryDatabase::commit() { return run("COMMIT"); }
void HistoryDatabase::roll_back() {
  sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Status HistoryDatabase::put(const Event& event, WallTime at) {
  Statement insert(handle_.get(),
                   "INSERT INTO event (time, kind, node, peer, line) VALUES (?, ?, ?, ?, ?)");
  insert.put(unsigned_of(since_epoch_ns(at)));
  insert.put(name(event.kind));
  insert.put(event.node.value());
  insert.put(event.peer.value());
  insert.put(std::string_view(json_line(event, at)));
  return done(insert.run());
}

void put_columns(Statement& insert, const SweepRecord& sweep) {
  insert.put(unsigned_of(sweep.ended_ns));
  insert.put(unsigned_of(sweep.begun_ns));
  insert.put(sweep.number);
  insert.put(std::string_view(sweep.reason));
  insert.put(std::uint64_t{sweep.up});
  insert.put(std::string_view(sweep.error));
  insert.put(sweep.changes);
}

void put_columns(Statement& insert, const CounterRecord& record) {
  insert.put(unsigned_of(record.begin));
  insert.put(std::uint64_t{record.seconds});
  insert.put(record.node.value());
  insert.put(std::uint64_t{record.port.value()});
  insert.put(record.sent_bytes);
  insert.put(record.received_bytes);
  insert.put(record.wait_ticks);
  insert.put(record.errors);
}

Status HistoryDatabase::put(const SweepRecord& sweep) {
  Statement insert(handle_.get(), "INSERT INTO sweep VALUES (?, ?, ?, ?, ?, ?, ?)");
  put_columns(insert, sweep);
  return done(insert.run());
}

Status HistoryDatabase::put(const CounterRecord& record) {
  Statement insert(handle_.get(), "INSERT INTO counter VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  put_columns(insert, record);
  return done(insert.run());
}

/// Replaces the rows of each port in each complete interval of `seconds` before `until` by one row.
Status HistoryDatabase::aggregate(std::int64_t until, std::uint32_t seconds) {
  const std::int64_t end = until - until % seconds;
  const std::string where = fmt::format("seconds < {} AND begin < {}", seconds, end);
  const std::string piece = fmt::format("begin - begin % {}", seconds);
  if (auto status =
          run(fmt::format("CREATE TEMP TABLE IF NOT EXISTS pieces AS SELECT * FROM counter WHERE 0;"
                          "DELETE FROM pieces;"
                          "INSERT INTO pieces SELECT {}, {}, node, port{} FROM counter WHERE {} "
                          "GROUP BY node, port, {};"
                          "DELETE FROM counter WHERE {};"
                          "INSERT INTO counter SELECT * FROM pieces;"
                          "DELETE FROM pieces",
                          piece, seconds, counter_sums(), where, piece, where));
      !status)
    return status;
  return {};
}

Status HistoryDatabase::delete_before(std::int64_t time) {
  // Events and sweeps have times in nanoseconds, counters in seconds.
  return run(
      fmt::format("DELETE FROM event WHERE time < {0}; DELETE FROM sweep WHERE ended < {0}; DELETE "
                  "FROM counter "
                  "WHERE begin < {1}",
                  time * kSecondNs, time));
}

/// Times of the oldest row, and of the newest event or counters, in seconds.
std::pair<std::int64_t, std::int64_t> HistoryDatabase::span() const {
  Statement select(
      handle_.get(),
      "SELECT min(t), max(t) FROM (SELECT min(time) / 1000000000 AS t FROM event UNION "
      "ALL SELECT max(time) / 1000000000 FROM event UNION ALL SELECT min(begin) FROM "
      "counter UNION ALL SELECT max(begin) FROM counter UNION ALL SELECT min(ended) / "
      "1000000000 FROM sweep)");
  if (!select.row()) return {};
  const auto oldest = static_cast<std::int64_t>(select.number());
  return {oldest, static_cast<std::int64_t>(select.number())};
}

Status HistoryDatabase::compact(std::int64_t now, const HistoryRetention& keeping) {
  using std::chrono::seconds;
  if (auto begun = begin(); !begun) return begun;
  Status status = aggregate(now - seconds(keeping.raw).count(), kFineSeconds);
  if (status) status = aggregate(now - seconds(keeping.fine).count(), kCoarseSeconds);
  if (status) status = delete_before(now - seconds(keeping.retention).count());
  if (status) status = commit();
  if (!status) {
    roll_back();
    return status;
  }
  constexpr int kCutsMax = 64;
  const auto goal =
      static_cast<std::uint64_t>(static_cast<double>(keeping.bytes_max) * kRemainingShare);
  const bool too_large = bytes() > keeping.bytes_max;
  for (int cut = 0; too_large && bytes() > goal && cut < kCutsMax; ++cut) {
    const auto [oldest, newest] = span();
    if (newest <= oldest) break;
    // Delete the oldest tenth of the time range, at least one second.
    status = delete_before(oldest + std::max<std::int64_t>(1, (newest - oldest) / 10) + 1);
    if (status) status = run("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)");
    if (!status) return status;
  }
  return run("PRAGMA incremental_vacuum");
}

std::uint64_t HistoryDatabase::bytes() const {
  return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
}

// ---- reading

bool is_event_kind(std::string_view word) {
  for (int kind = WEFT_EVENT_SWEEP_BEGUN; kind <= WEFT_EVENT_PORT_RECOVERED; ++kind)
    if (name(static_cast<weft_event_kind>(kind)) == word) return true;
  return false;
}

tl::unexpected<Error> HistoryReader::failure() const {
  if (sqlite3_errcode(handle_.get()) == SQLITE_INTERRUPT)
    return fail(Code::kTimeout,
                "{}: the query exceeded its time limit; select a shorter time or fewer nodes",
                path_);
  return fail(Code::kEnvironment, "{}: cannot be read: {}", path_, sqlite3_errmsg(handle_.get()));
}

Result<HistoryReader> HistoryReader::open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return fail(Code::kTimeout, "{}: not found", path);
  if (::access(path.c_str(), R_OK) != 0)
    return fail(Code::kEnvironment,
                "{}: cannot be read: {}: run as the manager's user, or use the manager's HTTP "
                "service (--server)",
                path, std::strerror(errno));
  const auto try_open = [&](const char* uri_parameters, int& version) {
    sqlite3* raw = nullptr;
    std::string uri = "file:";
    for (const char c : path)
      uri += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02X}", c) : std::string(1, c);
    sqlite3_open_v2((uri + uri_parameters).c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                    nullptr);
    HistoryReader reader(SqliteHandle(raw), path);
    if (raw != nullptr) {
      sqlite3_busy_timeout(raw, kHistoryBusyMs);
      Statement select(raw, "PRAGMA user_version");
      version = select.row() ? static_cast<int>(select.number()) : -1;
    }
    return reader;
  };
  int version = -1;
  const auto has_log = [&] {
    const auto size = std::filesystem::file_size(path + "-wal", error);
    return !error && size > 0;
  };
  // If the file of another user has no write-ahead log, SQLite would create a log that this user
  // owns, and the manager could not write the log.
  const bool is_at_rest = ::access(path.c_str(), W_OK) != 0 && !has_log();
  HistoryReader reader = try_open(is_at_rest ? kImmutable : "?mode=ro", version);
  // After the manager was killed, this user can neither share nor recover its write-ahead log.
  const int code = sqlite3_errcode(reader.handle_.get());
  if (version < 0 && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)) {
    reader = try_open(kImmutable, version);
    if (version >= 0 && has_log())
      log::warn(
          "{}: the newest events are missing: they are in {}-wal, which this user cannot recover: "
          "run as the manager's user, or use the manager's HTTP service (--server)",
          path, path);
  }
  if (version < 0) return reader.failure();
  if (version == 0 && reader.is_empty()) return fail(Code::kTimeout, "{}: is being created", path);
  if (version != kVersion)
    return fail(Code::kBadInput,
                "{}: not a history of this version of Weft: found schema version {}, expected {}",
                path, version, kVersion);
  return reader;
}

bool HistoryReader::is_empty() {
  Statement select(handle_.get(), "SELECT count(*) FROM sqlite_master");
  return select.row() && select.number() == 0;
}

Result<std::vector<HistoryEvent>> HistoryReader::events(const HistoryQuery& query) {
  deadline_ = end_queries_after(handle_.get(), query.time_max);
  std::string sql = "SELECT id, line FROM event WHERE time >= ? AND time < ? AND id > ?";
  for (std::size_t i = 0; i < query.kinds.size(); ++i)
    sql += i == 0 ? " AND (kind = ?" : " OR kind = ?";
  if (!query.kinds.empty()) sql += ")";
  if (query.node) sql += " AND (node = ? OR peer = ?)";
  if (!query.name.empty())
    sql += " AND (json_extract(line, '$.name') = ? OR json_extract(line, '$.peer_name') = ?)";
  Statement select(handle_.get(), sql + " ORDER BY time DESC, id DESC LIMIT ?");
  select.put(unsigned_of(query.since_ns));
  select.put(unsigned_of(query.until_ns));
  select.put(query.after_id);
  for (const std::string& kind : query.kinds) select.put(std::string_view(kind));
  if (query.node)
    for (int i = 0; i < 2; ++i) select.put(query.node->value());
  if (!query.name.empty())
    for (int i = 0; i < 2; ++i) select.put(std::string_view(query.name));
  select.put(std::uint64_t{query.limit});
  std::vector<HistoryEvent> events;
  while (select.row()) {
    const std::uint64_t id = select.number();
    events.push_back({id, select.text()});
  }
  if (!select.good()) return failure();
  std::ranges::reverse(events);
  return events;
}

SweepRecord sweep_of_columns(Statement& row) {
  SweepRecord sweep;
  sweep.ended_ns = static_cast<std::int64_t>(row.number());
  sweep.begun_ns = static_cast<std::int64_t>(row.number());
  sweep.number = row.number();
  sweep.reason = row.text();
  sweep.up = row.number() != 0;
  sweep.error = row.text();
  sweep.changes = row.number();
  return sweep;
}

Result<std::vector<SweepRecord>> HistoryReader::sweeps(const HistoryQuery& query) {
  deadline_ = end_queries_after(handle_.get(), query.time_max);
  Statement select(
      handle_.get(),
      "SELECT ended, begun, number, reason, up, error, changes FROM sweep WHERE ended >= ? "
      "AND ended < ? ORDER BY ended DESC LIMIT ?");
  select.put(unsigned_of(query.since_ns));
  select.put(unsigned_of(query.until_ns));
  select.put(std::uint64_t{query.limit});
  std::vector<SweepRecord> sweeps;
  while (select.row()) sweeps.push_back(sweep_of_columns(select));
  if (!select.good()) return failure();
  std::ranges::reverse(sweeps);
  return sweeps;
}

Result<std::vector<CounterRecord>> HistoryReader::counters(const HistoryQuery& query) {
  deadline_ = end_queries_after(handle_.get(), query.time_max);
  Statement select(
      handle_.get(),
      "SELECT begin, seconds, port, sent_bytes, received_bytes, wait_ticks, errors FROM "
      "counter WHERE node = ? AND begin >= ? AND begin < ? ORDER BY begin DESC, port DESC "
      "LIMIT ?");
  select.put(query.node.value_or(Guid(0)).value());
  select.put(unsigned_of(query.since_ns / kSecondNs));
  select.put(unsigned_of(query.until_ns / kSecondNs));
  select.put(std::uint64_t{query.limit});
  std::vector<CounterRecord> counters;
  while (select.row()) {
    CounterRecord& record = counters.emplace_back();
    record.begin = static_cast<std::int64_t>(select.number());
    record.seconds = static_cast<std::uint32_t>(select.number());
    record.node = *query.node;
    record.port = PortNum(static_cast<std::uint8_t>(select.number()));
    record.sent_bytes = select.number();
    record.received_bytes = select.number();
    record.wait_ticks = select.number();
    record.errors = select.number();
  }
  if (!select.good()) return failure();
  std::ranges::reverse(counters);
  return counters;
}

Result<std::vector<TrafficSum>> HistoryReader::traffic(const TrafficQuery& query) {
  CHECK(query.step > 0);
  deadline_ = end_queries_after(handle_.get(), query.time_max);
  std::string sql =
      "SELECT begin / ?, min(begin), max(begin + seconds)" + counter_sums() +
      ", max(sent_bytes * 1.0 / max(seconds, 1)), max(received_bytes * "
      "1.0 / max(seconds, 1)) FROM counter WHERE node = ? AND begin >= ? AND begin < ?";
  if (query.port) sql += " AND port = ?";
  TrafficSums sums(query.limit);
  if (!sums.add(handle_.get(), sql + " GROUP BY 1", query)) return failure();
  return sums.newest();
}

}  // namespace weft
