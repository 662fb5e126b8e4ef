// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The history: storage, queries, aggregation, retention, damaged files, full disks, and copies at
// standbys. Times are passed as arguments, so that most tests do not wait.
#include "service/history/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/log.h"
#include "service/history/history_piece.h"
#include "service/history/history_writer.h"
#include "support/temp_dir.h"
#include "support/wall_time.h"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kNow = 20'000 * kDay;  // seconds since 1970

Event event_of(weft_event_kind kind, std::uint64_t node = 0, std::uint64_t peer = 0,
               const std::string& text = "") {
  Event event;
  event.kind = kind;
  event.node = Guid(node);
  event.name = node == 0 ? "" : "host-" + std::to_string(node);
  event.peer = Guid(peer);
  event.peer_name = peer == 0 ? "" : "host-" + std::to_string(peer);
  event.text = text;
  return event;
}

class History : public testing::Test {
 protected:
  History() : path_(folder_ / "history.sqlite") {}

  HistoryDatabase database() {
    auto opened = HistoryDatabase::open(path_);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  HistoryReader reader() {
    auto opened = HistoryReader::open(path_);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  std::vector<std::string> kinds(const HistoryQuery& query = {}) {
    auto history = reader();
    std::vector<std::string> found;
    const auto events = history.events(query);
    for (const HistoryEvent& event : *events)
      found.push_back(nlohmann::json::parse(event.line)["event"]);
    return found;
  }

  TempDir folder_;
  std::string path_;
};

TEST_F(History, QueriesEndAtTheDeadline) {
  auto history = database();
  ASSERT_TRUE(history.begin());
  for (int i = 0; i < 2000; ++i)
    ASSERT_TRUE(history.put(event_of(WEFT_EVENT_NODE_APPEARED, 1), at_second(kNow + i)));
  ASSERT_TRUE(history.commit());
  auto late = reader();
  const auto events = late.events({.name = "host-2", .time_max = 1ns});
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().code, Code::kTimeout);
  EXPECT_THAT(events.error().message,
              HasSubstr("the query exceeded its time limit; select a shorter time or fewer nodes"));
  EXPECT_THAT(*reader().events({.name = "host-2", .time_max = 1h}), IsEmpty());
}

TEST_F(History, FindsEventsByTimeKindAndNode) {
  auto history = database();
  ASSERT_TRUE(history.put(event_of(WEFT_EVENT_NODE_APPEARED, 1), at_second(kNow)));
  ASSERT_TRUE(history.put(event_of(WEFT_EVENT_LINK_GONE, 1, 2, "4xEDR"), at_second(kNow + 10)));
  ASSERT_TRUE(history.put(event_of(WEFT_EVENT_ERROR, 0, 0, "no"), at_second(kNow + 20)));
  EXPECT_THAT(kinds(), ElementsAre("node_appeared", "link_gone", "error"));
  EXPECT_THAT(kinds({.since_ns = (kNow + 10) * kSecond}), ElementsAre("link_gone", "error"));
  EXPECT_THAT(kinds({.until_ns = (kNow + 10) * kSecond}), ElementsAre("node_appeared"));
  EXPECT_THAT(kinds({.kinds = {"error", "node_appeared"}}), ElementsAre("node_appeared", "error"));
  EXPECT_THAT(kinds({.node = Guid(2)}), ElementsAre("link_gone"));
  EXPECT_THAT(kinds({.name = "host-1"}), ElementsAre("node_appeared", "link_gone"));
  EXPECT_THAT(kinds({.name = "host"}), IsEmpty());
  EXPECT_THAT(kinds({.limit = 2}), ElementsAre("link_gone", "error"));
  EXPECT_THAT(kinds({.after_id = 2}), ElementsAre("error"));
  EXPECT_THAT(kinds({.kinds = {"x' OR 1 --"}}), IsEmpty());
}

TEST_F(History, UncommittedRowsAreDiscarded) {
  auto history = database();
  ASSERT_TRUE(history.begin());
  ASSERT_TRUE(history.put(event_of(WEFT_EVENT_ERROR), at_second(kNow)));
  EXPECT_THAT(kinds(), IsEmpty());
  history.roll_back();
  ASSERT_TRUE(history.begin());
  ASSERT_TRUE(history.put(event_of(WEFT_EVENT_WARNING), at_second(kNow)));
  ASSERT_TRUE(history.commit());
  EXPECT_THAT(kinds(), ElementsAre("warning"));
}

TEST(SweepAssembler, BuildsRecordsFromBeginEndAndChanges) {
  SweepAssembler sweeps;
  EXPECT_FALSE(sweeps.take(event_of(WEFT_EVENT_SWEEP_BEGUN, 0, 0, "trap 128"), at_second(kNow)));
  EXPECT_FALSE(sweeps.take(event_of(WEFT_EVENT_LINK_GONE, 1, 2), at_second(kNow + 1)));
  EXPECT_FALSE(sweeps.take(event_of(WEFT_EVENT_NODE_GONE, 1), at_second(kNow + 1)));
  EXPECT_FALSE(sweeps.take(event_of(WEFT_EVENT_LID_CHANGED, 1), at_second(kNow + 1)));
  Event ended = event_of(WEFT_EVENT_SWEEP_ENDED, 0, 0, "one port failed");
  ended.sweep = 7;
  EXPECT_EQ(sweeps.take(ended, at_second(kNow + 2)),
            (SweepRecord{kNow * kSecond, (kNow + 2) * kSecond, 7, "trap 128", false,
                         "one port failed", 2}));
  ended.text.clear();
  const auto alone = sweeps.take(ended, at_second(kNow + 3));  // the begin event is missing
  EXPECT_EQ(alone->begun_ns, alone->ended_ns);
  EXPECT_TRUE(alone->up);
  EXPECT_EQ(alone->changes, 0u);
}

PortCounts port_counts(std::uint8_t port, std::int64_t read_at, std::uint64_t data,
                       std::uint64_t symbols = 0) {
  PortCounts counts{Guid(1), PortNum(port)};
  counts.read_at = read_at;
  counts.total[index(Counter::kXmitData)] = data;
  counts.total[index(Counter::kSymbolErrors)] = symbols;
  return counts;
}

TEST(CounterDeltas, DifferencesAreNeverNegative) {
  CounterDeltas counters;
  EXPECT_THAT(counters.take({port_counts(1, 100, 1000, 5)}), IsEmpty());
  const auto first = counters.take({port_counts(1, 110, 1500, 5), port_counts(2, 110, 9)});
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0], (CounterRecord{100, 10, Guid(1), PortNum(1), 2000, 0, 0, 0}));
  EXPECT_THAT(counters.take({port_counts(1, 110, 1500, 5)}), IsEmpty());  // no new reading
  EXPECT_THAT(counters.take({port_counts(1, 120, 1500, 5)}), IsEmpty());  // no increments
  const auto cleared = counters.take({port_counts(1, 130, 100, 2)});
  ASSERT_THAT(cleared, SizeIs(1));
  EXPECT_EQ(cleared[0].sent_bytes, 400u);
  EXPECT_EQ(cleared[0].errors, 2u);
}

TEST_F(History, AggregatesCountersWithoutLoss) {
  auto history = database();
  const HistoryRetention retention_limits;
  // Readings of a port every 100 s during the last ten days.
  std::uint64_t sent = 0;
  ASSERT_TRUE(history.begin());
  for (std::int64_t time = kNow - 10 * kDay; time < kNow; time += 100) {
    CounterRecord record{time, 100, Guid(1), PortNum(1)};
    record.sent_bytes = 7;
    record.errors = 1;
    sent += 7;
    ASSERT_TRUE(history.put(record));
  }
  ASSERT_TRUE(history.commit());
  const auto check = [&](std::size_t rows) {
    auto all = *reader().counters({.node = Guid(1), .limit = 100'000});
    EXPECT_EQ(all.size(), rows);
    std::uint64_t sum = 0, errors = 0;
    for (const CounterRecord& record : all) {
      sum += record.sent_bytes;
      errors += record.errors;
      const std::uint32_t wanted = record.begin >= kNow - 7200       ? 100
                                   : record.begin >= kNow - 7 * kDay ? 300
                                                                     : 3600;
      EXPECT_EQ(record.seconds, wanted) << (kNow - record.begin);
      if (wanted > 100) {
        EXPECT_EQ(record.begin % wanted, 0);
      }
    }
    EXPECT_EQ(sum, sent);
    EXPECT_EQ(errors, sent / 7);
  };
  ASSERT_TRUE(history.compact(kNow, retention_limits));
  const std::size_t rows = 72 + (7 * kDay - 7200) / 300 + 3 * 24;
  check(rows);
  ASSERT_TRUE(history.compact(kNow, retention_limits));  // idempotent
  check(rows);
  EXPECT_THAT(*reader().counters({.node = Guid(2)}), IsEmpty());
}

/// A faulty device can report any counter value; sums of such values exceed SQLite's integers.
TEST_F(History, AggregatesCountersThatExceedTheIntegersOfSqlite) {
  auto history = database();
  for (int i = 0; i < 3; ++i) {
    CounterRecord record{kNow - kDay + i, 1, Guid(1), PortNum(1)};
    record.sent_bytes = INT64_MAX;
    record.received_bytes = UINT64_MAX;
    ASSERT_TRUE(history.put(record));
  }
  const Status compacted = history.compact(kNow, HistoryRetention());
  EXPECT_TRUE(compacted) << compacted.error().message;
  EXPECT_THAT(*reader().counters({.node = Guid(1)}), SizeIs(1));
  EXPECT_TRUE(reader().traffic({.nodes = {Guid(1)}}));
}

TEST_F(History, SumsTheTrafficOfPortsInSteps) {
  auto history = database();
  ASSERT_TRUE(history.begin());
  const auto put = [&](std::int64_t begin, std::uint32_t seconds, std::uint64_t node,
                       std::uint8_t port, std::uint64_t sent) {
    CounterRecord record{begin, seconds, Guid(node), PortNum(port)};
    record.sent_bytes = sent;
    record.received_bytes = 2 * sent;
    record.wait_ticks = 3 * sent;
    record.errors = 4 * sent;
    ASSERT_TRUE(history.put(record));
  };
  put(1000, 10, 1, 1, 1);
  put(1003, 10, 1, 2, 10);
  put(1055, 10, 1, 1, 100);    // in the next step of 60 s
  put(1001, 10, 2, 1, 1000);   // another node
  put(1090, 600, 1, 1, 7);     // longer than the step
  put(5000, 10, 1, 1, 10000);  // after the end
  ASSERT_TRUE(history.commit());
  const auto traffic = [&](std::vector<Guid> nodes, std::optional<PortNum> port = std::nullopt,
                           std::size_t limit = 10) {
    std::vector<std::tuple<std::int64_t, std::uint32_t, std::uint64_t>> sums;
    const auto found = *reader().traffic({.nodes = std::move(nodes),
                                          .port = port,
                                          .until_ns = 2000 * kSecond,
                                          .step = 60,
                                          .limit = limit});
    for (const CounterRecord& sum : found) {
      EXPECT_EQ(sum.received_bytes, 2 * sum.sent_bytes);
      EXPECT_EQ(sum.wait_ticks, 3 * sum.sent_bytes);
      EXPECT_EQ(sum.errors, 4 * sum.sent_bytes);
      sums.emplace_back(sum.begin, sum.seconds, sum.sent_bytes);
    }
    return sums;
  };
  const auto sum = [](std::int64_t begin, std::uint32_t seconds, std::uint64_t sent) {
    return std::tuple(begin, seconds, sent);
  };
  EXPECT_THAT(traffic({Guid(1)}),
              ElementsAre(sum(1000, 13, 11), sum(1055, 10, 100), sum(1090, 600, 7)));
  EXPECT_THAT(traffic({Guid(1), Guid(2)}),
              ElementsAre(sum(1000, 13, 1011), sum(1055, 10, 100), sum(1090, 600, 7)));
  EXPECT_THAT(traffic({Guid(1)}, PortNum(2)), ElementsAre(sum(1003, 10, 10)));
  EXPECT_THAT(traffic({Guid(1)}, std::nullopt, 1), ElementsAre(sum(1090, 600, 7)));
  EXPECT_THAT(traffic({Guid(1), Guid(2)}, std::nullopt, 2),
              ElementsAre(sum(1055, 10, 100), sum(1090, 600, 7)));
  EXPECT_THAT(traffic({Guid(2), Guid(1)}, std::nullopt, 3),
              ElementsAre(sum(1000, 13, 1011), sum(1055, 10, 100), sum(1090, 600, 7)));
  EXPECT_THAT(traffic({}), IsEmpty());
}

TEST_F(History, DeletesRowsBeyondTheRetention) {
  auto history = database();
  HistoryRetention retention_limits;
  retention_limits.retention = 24h;
  for (const std::int64_t age : {3 * kDay, kDay + 1, kDay - 1}) {
    ASSERT_TRUE(history.put(event_of(WEFT_EVENT_ERROR), at_second(kNow - age)));
    SweepRecord sweep;
    sweep.ended_ns = (kNow - age) * kSecond;
    ASSERT_TRUE(history.put(sweep));
    CounterRecord record{kNow - age, 10, Guid(1), PortNum(1)};
    ASSERT_TRUE(history.put(record));
  }
  ASSERT_TRUE(history.compact(kNow, retention_limits));
  EXPECT_THAT(kinds(), SizeIs(1));
  EXPECT_THAT(*reader().sweeps({}), SizeIs(1));
  EXPECT_THAT(*reader().counters({.node = Guid(1)}), SizeIs(1));
}

TEST_F(History, DeletesTheOldestRowsBeyondTheSizeLimit) {
  auto history = database();
  HistoryRetention retention_limits;
  retention_limits.bytes_max = 2 << 20;
  ASSERT_TRUE(history.begin());
  for (int i = 0; i < 20'000; ++i)
    ASSERT_TRUE(history.put(event_of(WEFT_EVENT_ERROR, 1, 0, std::string(200, 'x')),
                            at_second(kNow - 20'000 + i)));
  ASSERT_TRUE(history.commit());
  EXPECT_GT(history.bytes(), retention_limits.bytes_max);
  ASSERT_TRUE(history.compact(kNow, retention_limits));
  EXPECT_LE(history.bytes(), retention_limits.bytes_max);
  EXPECT_LE(std::filesystem::file_size(path_), retention_limits.bytes_max + (1 << 20));
  const auto left = *reader().events({.limit = 100'000});
  EXPECT_GT(left.size(), 2000u);
  EXPECT_EQ(left.back().id, 20'000u);
}

TEST_F(History, RenamesDamagedFiles) {
  for (const std::string& content :
       {std::string("this is no database, but a text of some length ........................."),
        std::string(100'000, '\xAA')}) {
    ASSERT_TRUE(write_file(path_, content));
    auto history = HistoryDatabase::open(path_);
    ASSERT_TRUE(history) << history.error().message;
    EXPECT_TRUE(history->put(event_of(WEFT_EVENT_ERROR), at_second(kNow)));
    EXPECT_EQ(*read_file(path_ + ".damaged"), content);
    EXPECT_THAT(kinds(), SizeIs(1));
    history = fail(Code::kEnvironment, "closed");
    std::filesystem::remove(path_);
  }
}

TEST_F(History, DetectsDamageInTheMiddleOfTheFile) {
  {
    auto history = database();
    for (int i = 0; i < 2000; ++i)
      ASSERT_TRUE(
          history.put(event_of(WEFT_EVENT_ERROR, 1, 0, std::string(100, 'x')), at_second(kNow)));
  }
  const auto size = std::filesystem::file_size(path_);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(8192);
  file << std::string(size - 8192 - 4096, '\x5A');
  file.close();
  auto history = HistoryDatabase::open(path_);
  ASSERT_TRUE(history) << history.error().message;
  EXPECT_TRUE(std::filesystem::exists(path_ + ".damaged"));
  EXPECT_THAT(kinds(), IsEmpty());
}

int deny_quick_check(void*, int action, const char* name, const char*, const char*, const char*) {
  const bool is_denied = action == SQLITE_PRAGMA && std::string_view(name) == "quick_check";
  return is_denied ? SQLITE_DENY : SQLITE_OK;
}
int deny_checks(sqlite3* handle, const char**, const void*) {
  return sqlite3_set_authorizer(handle, deny_quick_check, nullptr);
}

TEST_F(History, IsNotRenamedIfTheFileCannotBeChecked) {
  { auto history = database(); }
  const auto deny = reinterpret_cast<void (*)()>(&deny_checks);
  ASSERT_EQ(sqlite3_auto_extension(deny), SQLITE_OK);
  const auto history = HistoryDatabase::open(path_);
  sqlite3_cancel_auto_extension(deny);
  ASSERT_FALSE(history);
  EXPECT_THAT(history.error().message, HasSubstr("cannot be checked"));
  EXPECT_FALSE(std::filesystem::exists(path_ + ".damaged"));
}

TEST(QuickCheck, StatesDamageExceptForIoErrors) {
  EXPECT_FALSE(states_damage("ok"));
  EXPECT_TRUE(states_damage("row 1 missing from index event_time"));
  const std::string page = "Tree 2 page 5: unable to get the page. error code=";
  EXPECT_TRUE(states_damage(page + std::to_string(SQLITE_CORRUPT)));
  EXPECT_FALSE(states_damage(page + std::to_string(SQLITE_IOERR_READ)));
}

TEST_F(History, RejectsOtherSchemaVersions) {
  { auto history = database(); }
  sqlite3* raw = nullptr;
  sqlite3_open(path_.c_str(), &raw);
  sqlite3_exec(raw, "PRAGMA user_version = 9", nullptr, nullptr, nullptr);
  sqlite3_close(raw);
  EXPECT_THAT(HistoryDatabase::open(path_).error().message, HasSubstr("version 9, expected 1"));
  EXPECT_THAT(
      HistoryReader::open(path_).error().message,
      HasSubstr("not a history of this version of Weft: found schema version 9, expected 1"));
}

TEST_F(History, DistinguishesANewFileFromAForeignFile) {
  EXPECT_EQ(HistoryReader::open(path_).error().code, Code::kTimeout);
  ASSERT_TRUE(write_file(path_, ""));
  EXPECT_EQ(HistoryReader::open(path_).error().code, Code::kTimeout);
  sqlite3* raw = nullptr;
  sqlite3_open(path_.c_str(), &raw);
  sqlite3_exec(raw, "CREATE TABLE of_others (x)", nullptr, nullptr, nullptr);
  sqlite3_close(raw);
  EXPECT_EQ(HistoryReader::open(path_).error().code, Code::kBadInput);
}

HistoryWriter::Pace fast_pace() {
  return {.gather = 5ms, .again = 20ms, .compact = 1h, .counters = 1h};
}

template <class Found>
bool wait_for(Found found) {
  for (int i = 0; i < 6000; ++i) {
    if (found()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

/// Keeps events at kNow, which the clock of the writer has long passed.
HistoryRetention for_ever() { return {.retention = std::chrono::hours(24 * 365 * 100)}; }

TEST_F(History, WriterFlushesTheQueueAtTheEnd) {
  spdlog::set_level(spdlog::level::off);
  {
    HistoryWriter writer(path_, for_ever(), nullptr, fast_pace());
    writer.start();
    Event begun = event_of(WEFT_EVENT_SWEEP_BEGUN, 0, 0, "why");
    writer.take(begun, at_second(kNow));
    for (int i = 0; i < 1000; ++i) writer.take(event_of(WEFT_EVENT_TRAP), at_second(kNow));
    writer.take(event_of(WEFT_EVENT_SWEEP_ENDED), at_second(kNow + 1));
  }
  EXPECT_THAT(kinds({.limit = 10'000}), SizeIs(1002));
  const auto sweeps = *reader().sweeps({});
  ASSERT_THAT(sweeps, SizeIs(1));
  EXPECT_EQ(sweeps[0].reason, "why");
}

TEST_F(History, QueuesEventsUntilTheFileCanBeOpened) {
  spdlog::set_level(spdlog::level::off);
  const std::string file = folder_ / "in-the-way";
  ASSERT_TRUE(write_file(file, "a file, no folder"));
  path_ = file + "/history.sqlite";
  HistoryWriter writer(path_, for_ever(), nullptr, fast_pace());
  writer.start();
  for (std::size_t i = 0; i < HistoryWriter::kQueueMax + 200'000; ++i)
    writer.take(event_of(WEFT_EVENT_TRAP), at_second(kNow));
  std::filesystem::remove(file);
  ASSERT_TRUE(wait_for([&] {
    return std::filesystem::exists(path_) && HistoryReader::open(path_) &&
           !kinds({.kinds = {"events_lost"}}).empty();
  }));
  const auto lost = reader().events({.kinds = {"events_lost"}});
  const auto count = nlohmann::json::parse(lost->front().line)["count"].get<std::size_t>();
  // The batch that is being written and the queue hold up to kQueueMax events each.
  EXPECT_GE(count, 200'000 - HistoryWriter::kQueueMax);
  EXPECT_LE(count, 200'000u);
  EXPECT_EQ(writer.meter()->lost, count);
  EXPECT_TRUE(wait_for(
      [&] { return writer.meter()->written == HistoryWriter::kQueueMax + 200'000 - count; }));
  EXPECT_FALSE(writer.meter()->failing);
}

TEST_F(History, KeepsQueuedEventsWhileTheDiskIsFull) {
  spdlog::set_level(spdlog::level::off);
  { auto history = database(); }
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit full = before;
  full.rlim_cur = 64 << 10;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  {
    // The writer uses the real clock, and kNow is a day in 2024.
    HistoryWriter writer(path_, {.retention = std::chrono::days(36500)}, nullptr, fast_pace());
    writer.start();
    for (int i = 0; i < 5000; ++i)
      writer.take(event_of(WEFT_EVENT_ERROR, 1, 0, std::string(300, 'x')), at_second(kNow + i));
    EXPECT_TRUE(wait_for([&] { return writer.meter()->failing.load(); }));
    EXPECT_LT(kinds({.limit = 10'000}).size(), 5000u);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_TRUE(wait_for([&] { return kinds({.limit = 10'000}).size() == 5000; }));
  }
  EXPECT_THAT(kinds({.kinds = {"events_lost"}}), IsEmpty());
}

TEST_F(History, WritesTheIncrementsOfCounters) {
  spdlog::set_level(spdlog::level::off);
  std::atomic<int> readings = 0;
  HistoryWriter::Pace pace = fast_pace();
  pace.counters = 10ms;
  HistoryWriter writer(
      path_, {},
      [&]() -> PortCountsTable {
        const int n = ++readings;
        if (n == 1) return nullptr;
        return std::make_shared<std::vector<PortCounts>>(
            1, port_counts(1, kNow + n, static_cast<std::uint64_t>(100 * n)));
      },
      pace);
  writer.start();
  ASSERT_TRUE(wait_for([&] {
    return HistoryReader::open(path_) && !reader().counters({.node = Guid(1)})->empty();
  }));
  EXPECT_EQ(reader().counters({.node = Guid(1)})->front().sent_bytes, 400u);
}

TEST(When, ParsesDurationsDatesAndSeconds) {
  constexpr std::int64_t now = kNow * kSecond;
  EXPECT_EQ(*parse_when("2h", now), now - 7200 * kSecond);
  EXPECT_EQ(*parse_when("90s", now), now - 90 * kSecond);
  EXPECT_EQ(*parse_when("1w", now), now - 7 * kDay * kSecond);
  EXPECT_EQ(*parse_when("1970-01-02", now), kDay * kSecond);
  EXPECT_EQ(*parse_when("1970-01-02T01:00", now), (kDay + 3600) * kSecond);
  EXPECT_EQ(*parse_when("1970-01-02 01:00:05Z", now), (kDay + 3605) * kSecond);
  EXPECT_EQ(*parse_when("12345", now), 12345 * kSecond);
  for (const char* wrong : {"", "h", "-2h", "2y", "2026-02-30", "2026-13-01", "yesterday", "1e5",
                            "99999999999999999999", "999999999w", "1969-12-31"})
    EXPECT_FALSE(parse_when(wrong, now)) << wrong;
}

// ---- Copies at standbys

/// Copies all of one history into another in pieces of at most `rows` rows of each table; returns
/// the number of pieces.
int copy_history(const std::string& from, const std::string& to, std::size_t rows) {
  for (int pieces = 1;; ++pieces) {
    const auto position = copied_position(to);
    EXPECT_TRUE(position) << position.error().message;
    const auto piece = history_after(from, *position, rows);
    EXPECT_TRUE(piece) << piece.error().message;
    const auto decoded = decode_history_piece(encode(*piece));
    EXPECT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, *piece);
    const Status added = add_piece(to, *decoded);
    EXPECT_TRUE(added) << added.error().message;
    EXPECT_TRUE(add_piece(to, *decoded)) << "a piece that was added already is accepted";
    if (piece->is_complete || pieces > 100) return pieces;
  }
}

TEST_F(History, IsCopiedInPiecesFromTheStoredPosition) {
  const std::string copy_path = folder_ / "copy.sqlite";
  auto master = database();
  auto standby = HistoryDatabase::open(copy_path);
  ASSERT_TRUE(standby);
  // An event of the standby itself.
  ASSERT_TRUE(standby->put(event_of(WEFT_EVENT_NODE_GONE, 99), at_second(kNow)));
  const auto put_all = [&](std::int64_t from) {
    for (std::int64_t i = from; i < from + 5; ++i) {
      ASSERT_TRUE(master.put(event_of(WEFT_EVENT_LINK_GONE, 7, 8), at_second(kNow + i)));
      ASSERT_TRUE(
          master.put(SweepRecord{i, i + 1, static_cast<std::uint64_t>(i), "trap", true, "", 0}));
      ASSERT_TRUE(
          master.put(CounterRecord{kNow + 30 * i, 30, Guid(7), PortNum(1), 100, 200, 3, 4}));
      ASSERT_TRUE(master.put(CounterRecord{kNow + 30 * i, 30, Guid(7), PortNum(2), 1, 2, 3, 4}));
    }
  };
  put_all(0);
  EXPECT_GT(copy_history(path_, copy_path, 3), 2);
  put_all(5);
  copy_history(path_, copy_path, 3);
  EXPECT_EQ(copy_history(path_, copy_path, 3), 1)
      << "only one piece is copied if there are no new rows";
  auto copied = HistoryReader::open(copy_path);
  ASSERT_TRUE(copied);
  EXPECT_THAT(*copied->events({}), SizeIs(11));
  EXPECT_EQ(*copied->sweeps({}), *reader().sweeps({}));
  const HistoryQuery query{.node = Guid(7)};
  EXPECT_EQ(*copied->counters(query), *reader().counters(query));
}

/// Sums stay exact if the master merges intervals between two pieces, and if master and standby
/// change roles.
TEST_F(History, CountersAreNotCountedTwiceAfterCopies) {
  const std::string copy_path = folder_ / "copy.sqlite";
  auto master = database();
  auto standby = HistoryDatabase::open(copy_path);
  ASSERT_TRUE(standby);
  for (std::int64_t i = 0; i < 40; ++i)
    ASSERT_TRUE(master.put(CounterRecord{kNow + 30 * i, 30, Guid(7), PortNum(1), 100, 0, 0, 0}));
  ASSERT_TRUE(master.put(event_of(WEFT_EVENT_LINK_GONE, 7, 8), at_second(kNow)));
  copy_history(path_, copy_path, 10);
  ASSERT_TRUE(master.compact(kNow + 3 * 3600, {}));
  copy_history(path_, copy_path, 10);
  copy_history(copy_path, path_, 10);
  copy_history(path_, copy_path, 10);
  for (const std::string& path : {path_, copy_path}) {
    auto history = HistoryReader::open(path);
    ASSERT_TRUE(history);
    std::uint64_t sum = 0;
    for (const CounterRecord& record : *history->counters({.node = Guid(7)}))
      sum += record.sent_bytes;
    EXPECT_EQ(sum, 4000u) << path;
    EXPECT_THAT(*history->events({}), SizeIs(1)) << path;
  }
}

TEST_F(History, IsCopiedAgainFromAnotherHistory) {
  const std::string first = folder_ / "first.sqlite", copy_path = folder_ / "copy.sqlite";
  auto standby = HistoryDatabase::open(copy_path);
  auto old = HistoryDatabase::open(first);
  auto master = database();
  for (std::int64_t i = 0; i < 5; ++i)
    ASSERT_TRUE(old->put(event_of(WEFT_EVENT_LINK_GONE, 7, 8), at_second(kNow + i)));
  ASSERT_TRUE(master.put(event_of(WEFT_EVENT_NODE_GONE, 9), at_second(kNow)));
  copy_history(first, copy_path, 10);
  copy_history(path_, copy_path, 10);
  EXPECT_THAT(*HistoryReader::open(copy_path)->events({}), SizeIs(6));
}

TEST(HistoryPieceText, IsRefusedIfMalformed) {
  HistoryPiece piece;
  piece.last = {1, 2, 3, 4, 5};
  piece.events.push_back({1, "sweep_begun", Guid(1), Guid(2), "{}"});
  piece.sweeps.push_back({1, 2, 3, "trap", true, "", 4});
  piece.counters.push_back({1, 2, Guid(3), PortNum(4), 5, 6, 7, 8});
  const std::string good = encode(piece);
  ASSERT_TRUE(decode_history_piece(good));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& bad :
       {std::string(), std::string("[]"), with("\"source\":1", "\"source\":-1"),
        with("\"event\":2", "\"event\":\"2\""), with("\"counter_end\":4", "\"end\":4"),
        with("\"complete\":false", "\"complete\":0"), with("\"events\":[[1,", "\"events\":[["),
        with("\"sweep_begun\"", "7"), with("true", "1"), with("\"sweeps\":[", "\"sweeps\":[7,"),
        with("\"counters\":[[1,", "\"counters\":[[-1.5,"), with("[[1,2,3,4,5,", "[[1,2,3,256,5,"),
        with("[[1,2,3,4,5,", "[[1,4294967296,3,4,5,")})
    EXPECT_FALSE(decode_history_piece(bad)) << bad;
}

}  // namespace
}  // namespace weft
