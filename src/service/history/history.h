// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The history: events, sweeps and port counters in an SQLite file, with a configurable retention
// period. All times are arguments (nanoseconds or seconds since 1970), so that tests need no clock.
// docs/reference/history.md describes the tables.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "gmp/sqlite.h"
#include "ib/ids.h"
#include "ib/performance.h"
#include "service/events/event.h"
#include "service/events/event_sinks.h"

namespace weft {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;

inline std::int64_t since_epoch_ns(WallTime at) { return at.time_since_epoch().count(); }

struct SweepRecord {
  std::int64_t begun_ns = 0, ended_ns = 0;
  std::uint64_t number = 0;
  std::string reason;
  bool up = false;
  std::string error;
  std::uint64_t changes = 0;  // nodes and links that appeared, disappeared or changed
  bool operator==(const SweepRecord&) const = default;
};

/// Counter increments of a port during `seconds`, starting at `begin`.
struct CounterRecord {
  std::int64_t begin = 0;  // seconds since 1970
  std::uint32_t seconds = 0;
  Guid node;
  PortNum port;
  std::uint64_t sent_bytes = 0, received_bytes = 0;
  std::uint64_t wait_ticks = 0;
  std::uint64_t errors = 0;  // errors_of(): sum of the error counters
  bool operator==(const CounterRecord&) const = default;
};

/// Selection of rows. The result has the newest `limit` rows, in order of time.
struct HistoryQuery {
  std::int64_t since_ns = 0;
  std::int64_t until_ns = INT64_MAX;
  std::vector<std::string> kinds{};  // event kinds; empty: all kinds
  std::optional<Guid> node{};        // node or peer of an event; required for counters
  std::string name{};                // name of the node or peer; empty: any
  std::uint64_t after_id = 0;        // events with greater ids only
  std::size_t limit = 1000;
  std::chrono::nanoseconds time_max{0};  // 0: no limit
};

/// Selection of counter increments: of all ports of these nodes, or of their ports with number
/// `port`.
struct TrafficQuery {
  std::vector<Guid> nodes;
  std::optional<PortNum> port{};
  std::int64_t since_ns = 0, until_ns = INT64_MAX;
  std::uint32_t step = 60;  // seconds; at least 1
  std::size_t limit = 1000;
  std::chrono::nanoseconds time_max{0};  // 0: no limit
};

/// Traffic of an interval, summed over ports; `node` and `port` are unused.
struct TrafficSum : CounterRecord {
  // Highest rates of one port in one stored interval, bytes/s
  double sent_peak = 0, received_peak = 0;
  bool operator==(const TrafficSum&) const = default;
};

struct HistoryEvent {
  std::uint64_t id = 0;
  std::string line;  // the event as a JSON object
};

/// Retention and resolution of the history. Counters keep the resolution of the readings for `raw`,
/// and have intervals of kFineSeconds until `fine`, then of kCoarseSeconds.
struct HistoryRetention {
  std::chrono::hours retention = std::chrono::hours(24 * 90);
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
  std::chrono::hours raw = std::chrono::hours(2);
  std::chrono::hours fine = std::chrono::hours(24 * 7);
};

/// The connection of the writer. A history has only one writer.
class HistoryDatabase {
 public:
  static constexpr std::uint32_t kFineSeconds = 300, kCoarseSeconds = 3600;

  /// Opens or creates the file. Renames a damaged file, logs a warning, and creates a new file.
  /// Fails with kEnvironment; the message contains the path.
  static Result<HistoryDatabase> open(const std::string& path);

  /// Starts a transaction; commit() or roll_back() ends it.
  Status begin();
  Status put(const Event& event, WallTime at);
  Status put(const SweepRecord& sweep);
  Status put(const CounterRecord& counters);
  Status commit();
  void roll_back();

  /// Aggregates and deletes old rows. If the file is then larger than bytes_max, deletes the oldest
  /// rows until the file has at most nine tenths of bytes_max.
  Status compact(std::int64_t now, const HistoryRetention& keeping);
  /// Size of the file without its free pages.
  std::uint64_t bytes() const;
  /// Whether the last failure was caused by a damaged file; the next open() renames the file.
  bool is_damaged() const { return damaged_; }

 private:
  HistoryDatabase(SqliteHandle handle, std::string path)
      : handle_(std::move(handle)), path_(std::move(path)) {}
  static Result<HistoryDatabase> try_open(const std::string& path, bool& damaged);
  Status prepare(bool& damaged);
  Status check(bool& damaged) const;
  Status run(const std::string& sql);
  Status done(bool good);
  Status aggregate(std::int64_t until, std::uint32_t seconds);
  Status delete_before(std::int64_t time);
  std::pair<std::int64_t, std::int64_t> span() const;
  std::uint64_t pragma(const char* name) const;
  tl::unexpected<Error> failure(const char* doing) const;

  SqliteHandle handle_;
  std::string path_;
  mutable bool damaged_ = false;
};

/// A connection that only reads, also while another process writes.
class HistoryReader {
 public:
  /// Opens the history. Fails with kTimeout if the file does not exist or has no tables yet, with
  /// kEnvironment if the file cannot be read or is not a database, and with kBadInput if the
  /// database is not a history or has another schema version.
  static Result<HistoryReader> open(const std::string& path);
  Result<std::vector<HistoryEvent>> events(const HistoryQuery& query);
  Result<std::vector<SweepRecord>> sweeps(const HistoryQuery& query);
  /// Increments for all ports of `query.node`. Each of these functions fails with kTimeout after
  /// query.time_max, and with kEnvironment if the file cannot be read.
  Result<std::vector<CounterRecord>> counters(const HistoryQuery& query);
  /// Sums over the ports, one sum for each multiple of `step` in which a stored interval begins.
  /// Intervals are not divided: a sum may cover a longer time than `step`. Returns the newest
  /// `limit` sums, in order of time.
  Result<std::vector<TrafficSum>> traffic(const TrafficQuery& query);

 private:
  HistoryReader(SqliteHandle handle, std::string path)
      : handle_(std::move(handle)), path_(std::move(path)) {}
  tl::unexpected<Error> failure() const;
  bool is_empty();          // whether the database has no tables
  QueryDeadline deadline_;  // SQLite stores a pointer to the deadline
  SqliteHandle handle_;
  std::string path_;
};

/// Whether `word` is the name of an event kind.
bool is_event_kind(std::string_view word);

/// Parses a time to nanoseconds since 1970: "2h" (ago; units s, m, h, d, w), "2026-11-21",
/// "2026-11-21T14:30", "2026-11-21 14:30:05Z" (all UTC), or seconds since 1970. Fails with kUsage.
Result<std::int64_t> parse_when(std::string_view text, std::int64_t now_ns);

}  // namespace weft
