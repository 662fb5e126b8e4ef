// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The time series of the counter database: its resolutions, its size, and databases of version 1.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "gmp/counter_database.h"
#include "gmp/counter_dump.h"
#include "gmp/reading_tables.h"
#include "support/temp_dir.h"

namespace weft {
namespace {

constexpr Guid kReadNode{0x2c91};
constexpr std::time_t kDay = 86'400;
constexpr std::time_t kNoon = 20'000 * kDay;

class Readings : public ::testing::Test {
 protected:
  Readings() { store_.set_active(kReadNode, "S"); }

  CounterDatabase database() {
    auto opened = CounterDatabase::open(path_);
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }
  /// Adds a reading at `now`, with the port's counter `words` higher than in the previous reading.
  void read(CounterDatabase& database, std::time_t now, std::uint64_t words,
            PortNum port = PortNum(1)) {
    CounterValues values{};
    values[index(Counter::kXmitData)] = sent_[port] += words;
    store_.take(kReadNode, port, values, CounterGroup::kData, now);
    const Status kept = database.keep(store_, now, keeping_);
    ASSERT_TRUE(kept) << kept.error().message;
    store_.mark_written();
  }
  double query(const std::string& sql) const {
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    double value = -1;
    {
      Statement select(handle, sql);
      EXPECT_TRUE(select.row()) << sqlite3_errmsg(handle);
      value = select.real();
    }
    sqlite3_close(handle);
    return value;
  }
  void run(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(handle);
    sqlite3_close(handle);
  }

  TempDir folder_;
  const std::string path_ = folder_ / "db.sqlite";
  CounterStore store_;
  std::map<PortNum, std::uint64_t> sent_;
  ReadingRetention keeping_;
};

TEST_F(Readings, AreSummedByMinuteAndThenByHourWithMaxima) {
  using std::chrono::seconds;
  keeping_ = {.full = seconds(600), .minutes = seconds(2 * 3600)};
  auto kept = database();
  const std::time_t begin = kNoon, end = kNoon + 4 * 3600;
  std::uint64_t total = 0;
  for (std::time_t now = begin; now <= end; now += 20) {
    const std::uint64_t words = now == begin + 1800 ? 4000 : 100;  // one burst
    read(kept, now, words);
    total += words;
  }
  EXPECT_EQ(query("SELECT sum(xmit_data) FROM series"), static_cast<double>(total));
  EXPECT_EQ(query("SELECT min(time) FROM reading"), static_cast<double>(end - 600 + 20));
  EXPECT_EQ(query("SELECT count(*) FROM reading"), 30);
  EXPECT_EQ(query("SELECT count(*) FROM summary WHERE step = 60"), 110);
  EXPECT_EQ(query("SELECT count(*) FROM summary WHERE step = 3600"), 3);
  EXPECT_EQ(query("SELECT xmit_data FROM summary WHERE step = 60 LIMIT 1"), 300);
  EXPECT_EQ(query("SELECT max(xmit_data) FROM summary WHERE step = 3600"), 179 * 100 + 4000);
  EXPECT_EQ(
      query("SELECT min(seconds) FROM summary WHERE step = 3600 AND time > 0 AND max_xmit_data "
            "> 0 AND xmit_data > 100"),
      3600);
  // The data rate during the burst, then the data rate of all other readings.
  EXPECT_EQ(query("SELECT max(max_xmit_data) FROM series"), 200);
  EXPECT_EQ(
      query("SELECT min(max_xmit_data) FROM series WHERE time > (SELECT min(time) FROM series)"),
      5);
}

TEST_F(Readings, CoverTheTimeSinceThePreviousReading) {
  auto kept = database();
  read(kept, kNoon, 5);
  read(kept, kNoon + 30, 0);  // no counter increased
  read(kept, kNoon + 60, 7);
  EXPECT_EQ(query("SELECT count(*) FROM reading"), 2);
  EXPECT_EQ(query("SELECT seconds FROM reading ORDER BY time LIMIT 1"), 0)
      << "the time since an earlier reading is unknown";
  EXPECT_EQ(query("SELECT seconds FROM reading ORDER BY time DESC LIMIT 1"), 30);
}

TEST_F(Readings, AreDeletedAfterTheRetentionInEachResolution) {
  using std::chrono::seconds;
  keeping_ = {.full = seconds(600), .minutes = seconds(3600)};
  auto kept = database();
  for (std::time_t now = kNoon; now < kNoon + 3 * 3600; now += 60) read(kept, now, 1);
  keeping_.retention = std::chrono::hours(1);
  const std::time_t end = kNoon + 3 * 3600 + 60;
  read(kept, end, 1);
  EXPECT_GE(query("SELECT min(time) FROM series"), static_cast<double>(end - 3600));
  EXPECT_EQ(query("SELECT count(*) FROM summary WHERE step = 3600"), 0);
}

/// A faulty device can report any counter value; sums of such values exceed SQLite's integers.
TEST_F(Readings, WithImpossibleValuesAreSummedWithoutAnError) {
  keeping_ = {.full = std::chrono::seconds(60), .minutes = std::chrono::seconds(60)};
  auto kept = database();
  for (int i = 0; i < 8; ++i) {
    sent_[PortNum(1)] = 0;
    read(kept, kNoon + 20 * i, i % 2 == 0 ? INT64_MAX : std::uint64_t{1} << 62);
  }
  read(kept, kNoon + 7200, 1);
  read(kept, kNoon + 7300, 1);
  EXPECT_EQ(query("SELECT count(*) FROM reading WHERE time < " + std::to_string(kNoon + 7200)), 0);
}

TEST_F(Readings, BeyondTheSizeAreSummedBeforeAnyIsDeleted) {
  keeping_.bytes_max = 1 << 17;
  auto kept = database();
  std::uint64_t words = 0;
  for (std::time_t now = kNoon; now < kNoon + 1800; now += 5)
    for (std::uint8_t port = 1; port <= 6; ++port) {
      read(kept, now, 1'000'000, PortNum(port));
      words += 1'000'000;
    }
  EXPECT_EQ(query("SELECT sum(xmit_data) FROM series"), static_cast<double>(words));
  EXPECT_GT(query("SELECT count(*) FROM summary"), 0)
      << "readings younger than keeping.full are summed";
}

/// A database as version 1 wrote it.
TEST_F(Readings, OfDatabaseVersion1AreKeptAndSummed) {
  run("CREATE TABLE node (guid INTEGER PRIMARY KEY, name TEXT NOT NULL, active INTEGER NOT NULL);"
      "CREATE TABLE port (guid INTEGER, port INTEGER, last_reset INTEGER NOT NULL, errors_read "
      "INTEGER NOT NULL, data_read INTEGER NOT NULL" +
      counter_columns(", {} INTEGER NOT NULL") + counter_columns(", read_{} INTEGER NOT NULL") +
      ", PRIMARY KEY (guid, port)) WITHOUT ROWID;"
      "CREATE TABLE reading (time INTEGER NOT NULL, guid INTEGER NOT NULL, port INTEGER NOT NULL" +
      counter_columns(", {} INTEGER NOT NULL") +
      ");"
      "CREATE INDEX reading_time ON reading (time);"
      "CREATE INDEX reading_port ON reading (guid, port, time);"
      "INSERT INTO node VALUES (11409, 'S', 1);");
  constexpr int kOld = 5 * 24;
  std::string rows;
  for (int hour = 0; hour < kOld; ++hour) {
    rows += "INSERT INTO reading VALUES (" + std::to_string(kNoon + 3600 * hour) + ", 11409, 1";
    for (std::size_t i = 0; i < kCounterCount; ++i) rows += ", 9";
    rows += ");";
  }
  run("BEGIN;" + rows + "COMMIT");
  run("PRAGMA user_version = 1");
  auto kept = database();
  CounterStore restored;
  ASSERT_TRUE(kept.restore(restored));
  EXPECT_EQ(restored.nodes().at(kReadNode).name, "S");
  EXPECT_EQ(query("SELECT sum(xmit_data) FROM series"), 9 * kOld);
  EXPECT_EQ(query("PRAGMA user_version"), 2);
  // Each minute one hour of the old readings is summed, so that no new reading waits for all hours.
  read(kept, kNoon + 5 * kDay - 60, 0);
  EXPECT_GT(query("SELECT count(*) FROM reading"), kOld - 3);
  for (int minute = 0; minute < kOld; ++minute) read(kept, kNoon + 5 * kDay + 60 * minute, 0);
  EXPECT_LE(query("SELECT count(*) FROM reading"), 24);
  EXPECT_EQ(query("SELECT sum(xmit_data) FROM series"), 9 * kOld);
}

}  // namespace
}  // namespace weft
