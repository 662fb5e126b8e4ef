// What happened, for as long as the administrator wants to keep it: events, sweeps and counters of
// ports in one SQLite file. Times are the caller's, nanoseconds or seconds since 1970, so that
// tests need no clock. docs/reference/history.md describes the tables.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "gmp/sqlite.h"
#include "ib/ids.h"
#include "ib/performance.h"
#include "service/event.h"
#include "service/event_sinks.h"

namespace weft {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;

struct SweepRecord {
  std::int64_t begun_ns = 0, ended_ns = 0;
  std::uint64_t number = 0;
  std::string reason;
  bool up = false;
  std::string error;
  std::uint64_t changes = 0;  // nodes and links that came, went or changed
  bool operator==(const SweepRecord&) const = default;
};

/// What a port counted from `begin` on, for `seconds`.
struct CounterRecord {
  std::int64_t begin = 0;  // seconds since 1970
  std::uint32_t seconds = 0;
  Guid node;
  PortNum port;
  std::uint64_t sent_bytes = 0, received_bytes = 0;
  std::uint64_t wait_ticks = 0;
  std::uint64_t errors = 0;  // all counters of errors but the wait
  bool operator==(const CounterRecord&) const = default;
};

/// Which rows to read; of more than `limit` the newest, always in order of time.
struct HistoryQuery {
  std::int64_t since_ns = 0;
  std::int64_t until_ns = INT64_MAX;
  std::vector<std::string> kinds{};  // of events; empty: all
  std::optional<Guid> node{};        // at either end; of counters it is needed
  std::string name{};                // of a node at either end; empty: all
  std::uint64_t after_id = 0;        // of events
  std::size_t limit = 1000;
};

struct HistoryEvent {
  std::uint64_t id = 0;
  std::string line;  // the event as a JSON object
};

/// How the past grows coarse: counters are kept as read for a while, then added up.
struct HistoryKeeping {
  std::chrono::hours retention = std::chrono::hours(24 * 90);
  std::uint64_t bytes_max = std::uint64_t{1} << 30;
  std::chrono::hours raw = std::chrono::hours(2);
  std::chrono::hours fine = std::chrono::hours(24 * 7);  // in pieces of 5 minutes, then of an hour
};

/// The one who writes.
class HistoryDatabase {
 public:
  static constexpr std::uint32_t kFineSeconds = 300, kCoarseSeconds = 3600;

  /// Opens the file, or makes it. One that is damaged is moved aside, which is logged. Fails with
  /// kEnvironment naming the path.
  static Result<HistoryDatabase> open(const std::string& path);

  /// What is put between begin() and commit() is kept as a whole, or not at all.
  Status begin();
  Status put(const Event& event, WallTime at);
  Status put(const SweepRecord& sweep);
  Status put(const CounterRecord& counters);
  Status commit();
  void roll_back();

  /// Adds up and drops what is old, then the oldest of all until the file is small enough.
  Status tidy(std::int64_t now, const HistoryKeeping& keeping);
  /// What the file holds, free pages left out.
  std::uint64_t bytes() const;
  /// The last failure was that the file is damaged: open() puts it aside.
  bool is_damaged() const { return damaged_; }

 private:
  HistoryDatabase(SqliteHandle handle, std::string path)
      : handle_(std::move(handle)), path_(std::move(path)) {}
  static Result<HistoryDatabase> try_open(const std::string& path, bool& damaged);
  Status prepare(bool& damaged);
  Status run(const std::string& sql);
  Status done(bool good);
  Status add_up(std::int64_t until, std::uint32_t seconds);
  Status drop_before(std::int64_t time);
  std::pair<std::int64_t, std::int64_t> span() const;
  std::uint64_t pragma(const char* name) const;
  tl::unexpected<Error> trouble(const char* doing) const;

  SqliteHandle handle_;
  std::string path_;
  mutable bool damaged_ = false;
};

/// Those who read, also while another program writes.
class HistoryReader {
 public:
  /// Fails with kTimeout where nobody has made it yet, kEnvironment where the file cannot be read,
  /// kBadInput where it is no history.
  static Result<HistoryReader> open(const std::string& path);
  Result<std::vector<HistoryEvent>> events(const HistoryQuery& query);
  Result<std::vector<SweepRecord>> sweeps(const HistoryQuery& query);
  /// Of one node, all its ports.
  Result<std::vector<CounterRecord>> counters(const HistoryQuery& query);

 private:
  HistoryReader(SqliteHandle handle, std::string path)
      : handle_(std::move(handle)), path_(std::move(path)) {}
  tl::unexpected<Error> trouble() const;
  bool is_empty();  // no tables at all
  SqliteHandle handle_;
  std::string path_;
};

/// Whether that is the word of a kind of events.
bool is_event_kind(std::string_view word);

/// Nanoseconds since 1970 of "2h" (ago; s, m, h, d, w), "2026-11-21", "2026-11-21T14:30",
/// "2026-11-21 14:30:05Z" (UTC) or a number of seconds since 1970. Fails with kUsage.
Result<std::int64_t> parse_when(std::string_view text, std::int64_t now_ns);

}  // namespace weft
