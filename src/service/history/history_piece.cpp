// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/history/history_piece.h"

#include <nlohmann/json.hpp>

#include <filesystem>

#include "service/history/history_rows.h"

namespace weft {
namespace {

using Rows = nlohmann::json;

constexpr std::int64_t kIntervalMax = 86400;  // seconds; longer intervals are not found
constexpr const char* kCopyTables =
    "CREATE TABLE IF NOT EXISTS copied (source INTEGER NOT NULL, event INTEGER NOT NULL, sweep "
    "INTEGER NOT NULL, counter_end INTEGER NOT NULL, counter INTEGER NOT NULL)";

tl::unexpected<Error> database_error(sqlite3* handle, const std::string& path) {
  return fail(Code::kEnvironment, "{}: cannot be used: {}", path, sqlite3_errmsg(handle));
}

// ---- JSON: a row is an array of its columns

Rows row_of(const HistoryPiece::EventRow& event) {
  return {event.time, event.kind, event.node.value(), event.peer.value(), event.line};
}

Rows row_of(const SweepRecord& sweep) {
  return {sweep.ended_ns, sweep.begun_ns, sweep.number, sweep.reason,
          sweep.up,       sweep.error,    sweep.changes};
}

Rows row_of(const CounterRecord& counters) {
  return {counters.begin,        counters.seconds,    counters.node.value(),
          counters.port.value(), counters.sent_bytes, counters.received_bytes,
          counters.wait_ticks,   counters.errors};
}

bool is_number_up_to(const Rows& value, std::uint64_t most) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
}

/// Whether the columns of a row have these types: i integer, u unsigned integer, w unsigned integer
/// of 32 bits, p port number, b Boolean, s text.
bool has_columns(const Rows& row, std::string_view kinds) {
  if (!row.is_array() || row.size() != kinds.size()) return false;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Rows& value = row[i];
    if (kinds[i] == 'i' && !value.is_number_integer()) return false;
    if (kinds[i] == 'u' && !value.is_number_unsigned()) return false;
    if (kinds[i] == 'w' && !is_number_up_to(value, UINT32_MAX)) return false;
    if (kinds[i] == 'p' && !is_number_up_to(value, UINT8_MAX)) return false;
    if (kinds[i] == 'b' && !value.is_boolean()) return false;
    if (kinds[i] == 's' && !value.is_string()) return false;
  }
  return true;
}

HistoryPiece::EventRow event_of_row(const Rows& row) {
  return {row[0].get<std::int64_t>(), row[1].get<std::string>(), Guid(row[2].get<std::uint64_t>()),
          Guid(row[3].get<std::uint64_t>()), row[4].get<std::string>()};
}

SweepRecord sweep_of_row(const Rows& row) {
  SweepRecord sweep;
  sweep.ended_ns = row[0].get<std::int64_t>();
  sweep.begun_ns = row[1].get<std::int64_t>();
  sweep.number = row[2].get<std::uint64_t>();
  sweep.reason = row[3].get<std::string>();
  sweep.up = row[4].get<bool>();
  sweep.error = row[5].get<std::string>();
  sweep.changes = row[6].get<std::uint64_t>();
  return sweep;
}

CounterRecord counters_of_row(const Rows& row) {
  return {row[0].get<std::int64_t>(),        row[1].get<std::uint32_t>(),
          Guid(row[2].get<std::uint64_t>()), PortNum(row[3].get<std::uint8_t>()),
          row[4].get<std::uint64_t>(),       row[5].get<std::uint64_t>(),
          row[6].get<std::uint64_t>(),       row[7].get<std::uint64_t>()};
}

template <class Row, class Of>
Status read_rows(const Rows& json, const char* member, std::string_view kinds, Of of,
                 std::vector<Row>& rows) {
  const auto found = json.find(member);
  if (found == json.end() || !found->is_array() || found->size() > HistoryPiece::kRowsMax)
    return fail(Code::kBadInput, "{}: expected an array of at most {} rows", member,
                HistoryPiece::kRowsMax);
  for (const Rows& row : *found) {
    if (!has_columns(row, kinds))
      return fail(Code::kBadInput, "{}: expected rows of {} columns with values of their types",
                  member, kinds.size());
    rows.push_back(of(row));
  }
  return {};
}

// ---- SQLite

std::uint64_t identity_of(sqlite3* handle) {
  Statement select(handle, "SELECT id FROM identity");
  return select.row() ? select.number() : 0;
}

void read_events(sqlite3* handle, std::size_t rows, HistoryPiece& piece, bool& good) {
  Statement select(handle,
                   "SELECT id, time, kind, node, peer, line FROM event WHERE id > ? ORDER BY id "
                   "LIMIT ?");
  select.put(piece.last.event);
  select.put(std::uint64_t{rows});
  while (select.row()) {
    piece.last.event = select.number();
    HistoryPiece::EventRow& event = piece.events.emplace_back();
    event.time = static_cast<std::int64_t>(select.number());
    event.kind = select.text();
    event.node = Guid(select.number());
    event.peer = Guid(select.number());
    event.line = select.text();
  }
  good = good && select.good();
}

void read_sweeps(sqlite3* handle, std::size_t rows, HistoryPiece& piece, bool& good) {
  Statement select(handle,
                   "SELECT rowid, ended, begun, number, reason, up, error, changes FROM sweep "
                   "WHERE rowid > ? ORDER BY rowid LIMIT ?");
  select.put(piece.last.sweep);
  select.put(std::uint64_t{rows});
  while (select.row()) {
    piece.last.sweep = select.number();
    piece.sweeps.push_back(sweep_of_columns(select));
  }
  good = good && select.good();
}

/// Reads counters in the order of the ends of their intervals. So rows of longer intervals, which
/// replace older rows, are not read again.
void read_counters(sqlite3* handle, std::size_t rows, HistoryPiece& piece, bool& good) {
  Statement select(
      handle,
      "SELECT rowid, begin, seconds, node, port, sent_bytes, received_bytes, wait_ticks, errors "
      "FROM counter WHERE begin >= ? AND (begin + seconds > ? OR (begin + seconds = ? AND rowid > "
      "?)) ORDER BY begin + seconds, rowid LIMIT ?");
  HistoryPosition& last = piece.last;
  select.put(unsigned_of(last.counter_end - kIntervalMax));
  select.put(unsigned_of(last.counter_end));
  select.put(unsigned_of(last.counter_end));
  select.put(last.counter);
  select.put(std::uint64_t{rows});
  while (select.row()) {
    last.counter = select.number();
    CounterRecord& record = piece.counters.emplace_back();
    record.begin = static_cast<std::int64_t>(select.number());
    record.seconds = static_cast<std::uint32_t>(select.number());
    record.node = Guid(select.number());
    record.port = PortNum(static_cast<std::uint8_t>(select.number()));
    record.sent_bytes = select.number();
    record.received_bytes = select.number();
    record.wait_ticks = select.number();
    record.errors = select.number();
    last.counter_end = record.begin + record.seconds;
  }
  good = good && select.good();
}

bool put_events(sqlite3* handle, const HistoryPiece& piece) {
  Statement insert(handle,
                   "INSERT INTO event (time, kind, node, peer, line) SELECT ?1, ?2, ?3, ?4, ?5 "
                   "WHERE NOT EXISTS (SELECT 1 FROM event WHERE time = ?1 AND line = ?5)");
  for (const HistoryPiece::EventRow& event : piece.events) {
    insert.put(unsigned_of(event.time));
    insert.put(std::string_view(event.kind));
    insert.put(event.node.value());
    insert.put(event.peer.value());
    insert.put(std::string_view(event.line));
    if (!insert.run()) return false;
  }
  return insert.good();
}

bool put_sweeps(sqlite3* handle, const HistoryPiece& piece) {
  Statement insert(handle,
                   "INSERT INTO sweep SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE NOT EXISTS (SELECT 1 "
                   "FROM sweep WHERE ended = ?1 AND begun = ?2 AND number = ?3)");
  for (const SweepRecord& sweep : piece.sweeps) {
    put_columns(insert, sweep);
    if (!insert.run()) return false;
  }
  return insert.good();
}

/// Skips rows inside an interval that was copied before, because a stored row of the same or a
/// longer interval contains their counts.
bool put_counters(sqlite3* handle, const HistoryPiece& piece) {
  Statement insert(handle,
                   "INSERT INTO counter SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE NOT EXISTS "
                   "(SELECT 1 FROM counter WHERE node = ?3 AND port = ?4 AND begin <= ?1 AND begin "
                   "+ seconds >= ?1 + ?2)");
  for (const CounterRecord& record : piece.counters) {
    put_columns(insert, record);
    if (!insert.run()) return false;
  }
  return insert.good();
}

bool put_position(sqlite3* handle, const HistoryPosition& last) {
  if (!Statement(handle, "DELETE FROM copied").run()) return false;
  Statement insert(handle, "INSERT INTO copied VALUES (?, ?, ?, ?, ?)");
  for (const std::uint64_t value :
       {last.source, last.event, last.sweep, unsigned_of(last.counter_end), last.counter})
    insert.put(value);
  return insert.run();
}

Result<SqliteHandle> open_existing(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return fail(Code::kTimeout, "{}: not found", path);
  return open_sqlite(path, kHistoryBusyMs);
}

}  // namespace

std::string encode(const HistoryPiece& piece) {
  Rows json{{"source", piece.last.source},   {"event", piece.last.event},
            {"sweep", piece.last.sweep},     {"counter_end", piece.last.counter_end},
            {"counter", piece.last.counter}, {"complete", piece.is_complete},
            {"events", Rows::array()},       {"sweeps", Rows::array()},
            {"counters", Rows::array()}};
  for (const auto& event : piece.events) json["events"].push_back(row_of(event));
  for (const auto& sweep : piece.sweeps) json["sweeps"].push_back(row_of(sweep));
  for (const auto& counters : piece.counters) json["counters"].push_back(row_of(counters));
  return json.dump(-1, ' ', true, Rows::error_handler_t::replace);
}

Result<HistoryPiece> decode_history_piece(std::string_view text) {
  const Rows json = Rows::parse(text, nullptr, false);
  if (!json.is_object()) return fail(Code::kBadInput, "expected a JSON object");
  HistoryPiece piece;
  for (const auto& [member, value] :
       {std::pair("source", &piece.last.source), std::pair("event", &piece.last.event),
        std::pair("sweep", &piece.last.sweep), std::pair("counter", &piece.last.counter)}) {
    if (!json.contains(member) || !json[member].is_number_unsigned())
      return fail(Code::kBadInput, "{}: expected a number from 0 on", member);
    *value = json[member].get<std::uint64_t>();
  }
  if (!json.contains("counter_end") || !json["counter_end"].is_number_integer())
    return fail(Code::kBadInput, "counter_end: expected a number");
  piece.last.counter_end = json["counter_end"].get<std::int64_t>();
  if (!json.contains("complete") || !json["complete"].is_boolean())
    return fail(Code::kBadInput, "complete: expected true or false");
  piece.is_complete = json["complete"].get<bool>();
  if (auto read = read_rows(json, "events", "isuus", event_of_row, piece.events); !read)
    return forward(read);
  if (auto read = read_rows(json, "sweeps", "iiusbsu", sweep_of_row, piece.sweeps); !read)
    return forward(read);
  if (auto read = read_rows(json, "counters", "iwupuuuu", counters_of_row, piece.counters); !read)
    return forward(read);
  return piece;
}

Result<HistoryPiece> history_after(const std::string& path, const HistoryPosition& position,
                                   std::size_t rows) {
  auto handle = open_existing(path);
  if (!handle) return forward(handle);
  HistoryPiece piece;
  const std::uint64_t identity = identity_of(handle->get());
  if (identity == 0) return fail(Code::kTimeout, "{}: is being created", path);
  piece.last = position.source == identity ? position : HistoryPosition{.source = identity};
  bool good = true;
  read_events(handle->get(), rows, piece, good);
  read_sweeps(handle->get(), rows, piece, good);
  read_counters(handle->get(), rows, piece, good);
  if (!good) return database_error(handle->get(), path);
  piece.is_complete =
      piece.events.size() < rows && piece.sweeps.size() < rows && piece.counters.size() < rows;
  return piece;
}

Result<HistoryPosition> copied_position(const std::string& path) {
  auto handle = open_existing(path);
  if (!handle) return forward(handle);
  if (identity_of(handle->get()) == 0) return fail(Code::kTimeout, "{}: is being created", path);
  HistoryPosition position;
  Statement select(handle->get(), "SELECT source, event, sweep, counter_end, counter FROM copied");
  if (!select.row()) return position;
  position.source = select.number();
  position.event = select.number();
  position.sweep = select.number();
  position.counter_end = static_cast<std::int64_t>(select.number());
  position.counter = select.number();
  return position;
}

Status add_piece(const std::string& path, const HistoryPiece& piece) {
  auto opened = open_existing(path);
  if (!opened) return forward(opened);
  sqlite3* const handle = opened->get();
  if (sqlite3_exec(handle, (std::string(kCopyTables) + "; BEGIN IMMEDIATE").c_str(), nullptr,
                   nullptr, nullptr) != SQLITE_OK)
    return database_error(handle, path);
  const bool good = put_events(handle, piece) && put_sweeps(handle, piece) &&
                    put_counters(handle, piece) && put_position(handle, piece.last);
  if (good && sqlite3_exec(handle, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  auto why = database_error(handle, path);
  sqlite3_exec(handle, "ROLLBACK", nullptr, nullptr, nullptr);
  return why;
}

}  // namespace weft
