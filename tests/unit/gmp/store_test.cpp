// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counter totals, their text, and the database.
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>

#include "gmp/counter_database.h"
#include "gmp/counter_dump.h"
#include "support/temp_dir.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr Guid kStoredNode{0x2c90};
constexpr PortNum kPort{3};

CounterValues values(std::initializer_list<std::pair<Counter, std::uint64_t>> set) {
  CounterValues all{};
  for (const auto& [counter, value] : set) all[index(counter)] = value;
  return all;
}

TEST(CounterStore, StoresErrorsAndDataSeparately) {
  CounterStore store;
  const auto read = values({{Counter::kSymbolErrors, 4}, {Counter::kXmitPkts, 9}});
  const auto errors = store.take(kStoredNode, kPort, read, CounterGroup::kErrors, 100);
  EXPECT_EQ(errors.delta, values({{Counter::kSymbolErrors, 4}}));
  const auto data = store.take(kStoredNode, kPort, read, CounterGroup::kData, 101);
  EXPECT_EQ(data.delta, values({{Counter::kXmitPkts, 9}}));
  const PortTally& port = store.nodes().at(kStoredNode).ports.at(kPort);
  EXPECT_EQ(port.total, read);
  EXPECT_EQ(port.last_reset, 100);
  EXPECT_EQ(port.errors_read, 100);
  EXPECT_EQ(port.data_read, 101);
}

TEST(CounterStore, EscapesLineBreaksInNames) {
  CounterStore store;
  store.set_active(kStoredNode, "evil\nname\t");
  EXPECT_EQ(store.nodes().at(kStoredNode).name, "evil\\nname\\t");
}

TEST(CounterDump, FiltersByNameGuidAndPort) {
  CounterStore store;
  store.set_active(kStoredNode, "switch: one");
  store.take(kStoredNode, kPort, values({{Counter::kLinkDowned, 2}}), CounterGroup::kErrors, 100);
  store.take(kStoredNode, PortNum(4), values({}), CounterGroup::kErrors, 100);
  store.set_active(Guid(7), "other");
  store.take(Guid(7), PortNum(1), values({}), CounterGroup::kErrors, 100);
  const auto lines = [](const std::optional<std::string>& text) {
    return text ? std::count(text->begin(), text->end(), '\n') : -1;
  };
  EXPECT_EQ(lines(counters_text(store, parse_counter_filter(""))), 3 * 25);
  EXPECT_EQ(lines(counters_text(store, parse_counter_filter("switch: one"))), 2 * 25);
  EXPECT_EQ(lines(counters_text(store, parse_counter_filter("0x2c90:4"))), 25);
  EXPECT_EQ(lines(counters_text(store, parse_counter_filter("unknown"))), -1);
  EXPECT_EQ(lines(errors_text(store, parse_counter_filter(""))), 4);
  EXPECT_NE(errors_text(store, {})->find("link_downed          : 2\n"), std::string::npos);
}

std::int64_t query(const std::string& path, const std::string& sql) {
  sqlite3* handle = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr), SQLITE_OK);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
  const std::int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(handle);
  return value;
}

class Database : public ::testing::Test {
 protected:
  void add(std::uint64_t symbol, std::time_t now) {
    store.take(kStoredNode, kPort, values({{Counter::kSymbolErrors, symbol}}),
               CounterGroup::kErrors, now);
    ASSERT_TRUE(database->keep(store, now, {.retention = std::chrono::hours(1)}));
    store.mark_written();
  }
  TempDir folder;
  const std::string path = folder / "db.sqlite";
  Result<CounterDatabase> database = CounterDatabase::open(path);
  CounterStore store;
};

TEST_F(Database, KeepsAReadingForEachChangeUntilTheRetentionEnds) {
  ASSERT_TRUE(database);
  store.set_active(kStoredNode, "S");
  add(5, 1000);
  add(5, 1100);  // no counter increased: no reading
  add(9, 1200);
  EXPECT_EQ(query(path, "SELECT count(*) FROM reading"), 2);
  EXPECT_EQ(query(path, "SELECT sum(symbol_err_cnt) FROM reading"), 9);
  EXPECT_EQ(query(path, "SELECT symbol_err_cnt FROM port"), 9);
  add(10, 1000 + 3601);
  EXPECT_EQ(query(path, "SELECT min(time) FROM reading"), 1200);
  EXPECT_EQ(query(path, "SELECT symbol_err_cnt FROM port"), 10);
}

TEST_F(Database, RestoresAnEqualStore) {
  ASSERT_TRUE(database);
  store.set_active(kStoredNode, "a 'quoted' name");
  store.take(kStoredNode, kPort, values({{Counter::kXmitData, UINT64_MAX}}), CounterGroup::kData,
             50);
  store.set_active(Guid(UINT64_MAX), "gone");
  store.set_inactive(Guid(UINT64_MAX));
  ASSERT_TRUE(database->keep(store, 60, {}));
  store.mark_written();
  CounterStore again;
  auto second = CounterDatabase::open(path);
  ASSERT_TRUE(second);
  ASSERT_TRUE(second->restore(again));
  EXPECT_EQ(again.nodes(), store.nodes());
}

TEST_F(Database, DropsNodesRemovedFromTheStore) {
  ASSERT_TRUE(database);
  store.set_active(kStoredNode, "S");
  add(5, 1000);
  store.forget(kStoredNode);
  ASSERT_TRUE(database->keep(store, 1001, {}));
  EXPECT_EQ(query(path, "SELECT (SELECT count(*) FROM node) + (SELECT count(*) FROM port)"), 0);
  EXPECT_EQ(query(path, "SELECT count(*) FROM reading"), 1)
      << "readings remain until the retention ends";
}

TEST_F(Database, DeletesTheOldestReadingsBeyondTheConfiguredSize) {
  ASSERT_TRUE(database);
  constexpr std::time_t kBegin = 1'000'000;
  const ReadingRetention keeping{.bytes_max = 1 << 19};
  store.set_active(kStoredNode, "S");
  CounterValues values{};
  // Readings are an hour apart, so that summaries do not take less space than readings.
  std::time_t now = kBegin;
  for (int reading = 0; reading < 80; ++reading) {
    now += 3600;
    values.fill(static_cast<std::uint64_t>(1000 * (reading + 1)));
    for (std::uint8_t port = 1; port <= 100; ++port)
      for (const CounterGroup group : {CounterGroup::kErrors, CounterGroup::kData})
        store.take(kStoredNode, PortNum(port), values, group, now);
    ASSERT_TRUE(database->keep(store, now, keeping));
    store.mark_written();
  }
  const std::string used =
      "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, "
      "pragma_freelist_count, pragma_page_size";
  EXPECT_LE(query(path, used), 1 << 19);
  EXPECT_GT(query(path, used), 1 << 18);
  EXPECT_GT(query(path, "SELECT min(time) FROM series"), kBegin + 3600)
      << "the oldest readings are deleted";
  EXPECT_EQ(query(path, "SELECT max(time) FROM series"), now) << "the newest readings are kept";
  EXPECT_EQ(query(path, "SELECT count(*) FROM port"), 100);
  EXPECT_LE(std::filesystem::file_size(path), 1 << 20)
      << "the file is truncated after readings are deleted";
}

TEST_F(Database, RefusesTablesOfANewerVersion) {
  ASSERT_TRUE(database);
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, "PRAGMA user_version = 9", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(handle);
  const auto again = CounterDatabase::open(path);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, path + ": has tables of version 9, expected at most 2");
}

}  // namespace
}  // namespace weft
