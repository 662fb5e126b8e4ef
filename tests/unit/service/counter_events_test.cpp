// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Events of rising error counters, from the PMA of an emulated port to the history that `weft
// events` reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "service/events/event.h"
#include "service/events/event_sinks.h"
#include "service/history/history.h"
#include "support/performance_subnet.h"
#include "support/temp_dir.h"
#include "support/tiny.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;
using testing::IsEmpty;
using testing::SizeIs;

//  S0 - S1, with a host on each
class CounterEvents : public testing::Test {
 protected:
  CounterEvents() : reading_(Tiny(2).link(0, 1).hosts(0).hosts(1).build()) {
    reading_.start();
    reading_.manager->on_errors = [this](const std::vector<ErrorRise>& rises) {
      auto history = HistoryDatabase::open(path_);
      ASSERT_TRUE(history);
      for (const ErrorRise& rise : rises)
        ASSERT_TRUE(history->put(event_of(rise), std::chrono::system_clock::now()));
    };
  }
  std::vector<Json> events() {
    auto made = HistoryDatabase::open(path_);
    auto reader = HistoryReader::open(path_);
    const auto found = reader->events({.kinds = {"counter_errors"}});
    std::vector<Json> lines;
    for (const HistoryEvent& event : *found) lines.push_back(Json::parse(event.line));
    return lines;
  }

  TempDir folder_;
  std::string path_ = folder_ / "history.sqlite";
  PerformanceSubnet reading_;
};

TEST_F(CounterEvents, AreWrittenForRisingErrorCounters) {
  const PortId cable = reading_.port("S0", 1);
  reading_.device_counters(cable, Counter::kSymbolErrors) = 40;  // before the first reading
  reading_.sweep();
  EXPECT_THAT(events(), IsEmpty());
  reading_.device_counters(cable, Counter::kSymbolErrors) = 52;
  reading_.device_counters(cable, Counter::kLinkDowned) = 1;
  reading_.device_counters(reading_.port("H1", 1), Counter::kRcvErrors) = 3;
  reading_.device_counters(cable, Counter::kXmitWait) = 1'000'000;
  reading_.sweep();
  const auto lines = events();
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0]["event"], "counter_errors");
  EXPECT_EQ(lines[0]["name"], "S0");
  EXPECT_EQ(lines[0]["port"], 1);
  EXPECT_EQ(lines[0]["peer_name"], "S1");
  EXPECT_EQ(lines[0]["peer_port"], 1);
  EXPECT_EQ(lines[0]["counter"], "SymbolErrorCounter");
  EXPECT_EQ(lines[0]["before"], 40);
  EXPECT_EQ(lines[0]["value"], 52);
  EXPECT_EQ(lines[0]["sweep"], 1);
  EXPECT_EQ(lines[1]["counter"], "LinkDownedCounter");
  EXPECT_EQ(lines[1]["before"], 0);
  EXPECT_EQ(lines[1]["value"], 1);
  EXPECT_EQ(lines[2]["name"], "H1");
  EXPECT_EQ(lines[2]["counter"], "PortRcvErrors");
}

TEST_F(CounterEvents, AreNotWrittenForConstantCounters) {
  reading_.device_counters(reading_.port("S0", 1), Counter::kSymbolErrors) = 40;
  reading_.sweep(3);
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(CounterEvents, AreLimitedToOnePerMinute) {
  reading_.sweep();
  const PortId cable = reading_.port("S1", 1);
  for (unsigned i = 1; i <= 13; ++i) {  // a reading every 10 s
    reading_.device_counters(cable, Counter::kSymbolErrors) = i;
    reading_.sweep();
  }
  const auto lines = events();
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0]["value"], 1);
  EXPECT_EQ(lines[1]["before"], 1);
  EXPECT_EQ(lines[1]["value"], 7);
  EXPECT_EQ(lines[2]["before"], 7);
  EXPECT_EQ(lines[2]["value"], 13);
}

TEST_F(CounterEvents, ContinueAfterAClearOfTheHardwareCounters) {
  reading_.sweep();
  const PortId cable = reading_.port("S0", 1);
  reading_.device_counters(cable, Counter::kSymbolErrors) =
      50'000;  // cleared by the manager above 49,152
  reading_.sweep();
  EXPECT_EQ(reading_.device_counters(cable, Counter::kSymbolErrors), 0u);
  reading_.device_counters(cable, Counter::kSymbolErrors) = 5;
  reading_.sweep(7);
  const auto lines = events();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[1]["before"], 50'000);
  EXPECT_EQ(lines[1]["value"], 50'005);
}

}  // namespace
}  // namespace weft
