// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Load-aware routing on the emulator: the counters of hosts give one link a high load. Also the
// file of weights, and the window of measured rates.
#include "service/load_aware/load_aware_routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include "base/file.h"
#include "fabric/without.h"
#include "service/events/event.h"
#include "service/sm_tally.h"
#include "sm/load/weight_file.h"
#include "support/performance_subnet.h"

namespace weft {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kBytesPerSecond = 5e9;  // 40% of an EDR link

/// A fat tree with four hosts on each leaf and four spines. Counters are read every minute, and
/// routes may change every ten minutes.
class LoadAware : public ::testing::Test {
 protected:
  LoadAware() : subnet_(fabric_of("fattree2:k=8")) {
    subnet_.options.sweep_time = minutes(1);
    options().load_aware = {.enabled = true, .interval = minutes(10), .threshold = 20};
  }

  SmOptions& options() { return subnet_.managed.options; }
  SubnetManager& sm() { return subnet_.managed.sm(); }
  const Fabric& fabric() { return sm().snapshot()->fabric; }
  const LoadAwareCounts& counts() { return sm().load_aware_counts(); }

  void start() {
    subnet_.start();
    subnet_.manager->on_reading = [this](const CounterStore& store, const Snapshot& snapshot,
                                         TimeNs now) { routing_.take(store, snapshot, now); };
    sm().take_occurrences();
  }

  /// Returns two CA ports on different switches, neither on the switch of the first host. The paths
  /// from that switch to both ports share a link. Returns nothing if there are no such ports.
  std::vector<EndportId> receivers_on_one_link() {
    std::map<PortNum, std::vector<EndportId>> by_port;
    for (std::uint32_t i = fabric().switch_count(); i < fabric().endport_count(); ++i) {
      const Endport& endport = fabric().endport(EndportId(i));
      if (endport.sw == leaf()) continue;
      auto& found = by_port[port_to(EndportId(i))];
      if (found.empty() || fabric().endport(found.back()).sw != endport.sw)
        found.push_back(EndportId(i));
      if (found.size() == 2) return found;
    }
    return {};
  }
  SwitchId leaf() { return fabric().endport(first_host()).sw; }
  EndportId first_host() { return EndportId(fabric().switch_count()); }
  PortNum port_to(EndportId to) {
    return sm().snapshot()->routes.lfts.port(leaf(), fabric().endport(to).lid);
  }

  /// Adds the traffic of a minute in which the first two hosts send to `receivers`, then reads the
  /// counters, and runs the routing and the manager.
  void run_minute(const std::vector<EndportId>& receivers) {
    const auto words = static_cast<std::uint64_t>(kBytesPerSecond * 60 / 4);
    for (unsigned i = 0; i < 2; ++i)
      count(EndportId(first_host().value() + i), Counter::kXmitData) += words;
    for (const EndportId to : receivers) count(to, Counter::kRcvData) += words;
    subnet_.sweep();
    ASSERT_TRUE(subnet_.managed.settle());
    const TimeNs now = subnet_.managed.emulated().clock().now();
    for (int step = 0; step < steps_; ++step) routing_.step(sm(), now);
    ASSERT_TRUE(subnet_.managed.settle());
    subnet_.manager->publish(sm().snapshot());
  }
  void run(int times, const std::vector<EndportId>& receivers) {
    for (int i = 0; i < times; ++i) run_minute(receivers);
  }
  std::uint64_t& count(EndportId host, Counter counter) {
    const Guid guid = fabric().port(fabric().endport(host).port).guid;
    const Fabric& emulated = subnet_.managed.fabric();
    return subnet_.device_counters(emulated.endport(*emulated.find_endport(guid)).port, counter);
  }
  std::vector<std::string> rebalance_texts() {
    std::vector<std::string> found;
    for (const Occurrence& occurrence : sm().take_occurrences())
      if (const auto* change = std::get_if<RoutesRebalanced>(&occurrence))
        found.push_back(change->what);
    return found;
  }

  PerformanceSubnet subnet_;
  LoadAwareRouting routing_{false};
  // Steps of the routing each minute: a trial begins in one step and ends in another step.
  int steps_ = 2;
};

TEST_F(LoadAware, MovesPathsFromTheLinkWithTheLargestLoad) {
  start();
  const auto to = receivers_on_one_link();
  ASSERT_EQ(to.size(), 2u);
  const LogLines log;
  run(12, to);
  EXPECT_EQ(counts().trials, 1u);
  EXPECT_EQ(counts().changes, 1u);
  EXPECT_NEAR(counts().gain, 50, 1);
  EXPECT_NE(port_to(to[0]), port_to(to[1]));
  const auto events = rebalance_texts();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(name(events_of(RoutesRebalanced{events[0]}, sm().last_report(), 2)[0].kind),
            "routes_rebalanced");
  SmTallyCollector tallying;
  tallying.update(sm());
  EXPECT_EQ(tallying.tally().load_aware, counts());
  EXPECT_THAT(events[0], HasSubstr("largest link load 80.0% of the data rate ("));
  EXPECT_THAT(events[0], HasSubstr("40.0% with the new routes, gain 50.0%"));
  EXPECT_EQ(log.count("gain 50.0%: routes changed"), 1u);
  EXPECT_EQ(sm().last_report().reason, "load-aware routing");
  expect_managed(subnet_.managed);
}

TEST_F(LoadAware, ChangesRoutesAtMostOncePerInterval) {
  start();
  run(12, receivers_on_one_link());
  ASSERT_EQ(counts().changes, 1u);
  const Lfts changed = sm().snapshot()->routes.lfts;
  const auto others = receivers_on_one_link();
  ASSERT_EQ(others.size(), 2u);
  run(8, others);
  EXPECT_EQ(counts().trials, 1u);
  EXPECT_TRUE(sm().snapshot()->routes.lfts == changed);
  run(3, others);
  EXPECT_EQ(counts().changes, 2u);
  EXPECT_NE(port_to(others[0]), port_to(others[1]));
  EXPECT_EQ(rebalance_texts().size(), 2u);
}

TEST_F(LoadAware, MeasuresForSeveralIntervalsIfReadingsAreRare) {
  options().load_aware.interval = std::chrono::seconds(50);
  start();
  const auto to = receivers_on_one_link();
  run(4, to);
  EXPECT_EQ(counts().changes, 1u);
  run(4, to);
  EXPECT_GE(counts().trials, 2u);
}

TEST_F(LoadAware, KeepsRoutesBelowTheThreshold) {
  options().load_aware.threshold = 51;
  start();
  const Lfts before = sm().snapshot()->routes.lfts;
  const std::uint64_t sweeps = sm().heavy_sweeps();
  const LogLines log;
  run(23, receivers_on_one_link());
  EXPECT_EQ(counts().trials, 2u);
  EXPECT_EQ(counts().changes, 0u);
  EXPECT_NEAR(counts().gain, 50, 1);
  EXPECT_TRUE(sm().snapshot()->routes.lfts == before);
  EXPECT_EQ(sm().heavy_sweeps(), sweeps);
  EXPECT_THAT(rebalance_texts(), IsEmpty());
  EXPECT_EQ(log.count("expected at least 51%, routes kept"), 2u);
}

TEST_F(LoadAware, DoesNothingUnlessEnabled) {
  options().load_aware.enabled = false;
  start();
  run(23, receivers_on_one_link());
  EXPECT_EQ(counts().trials, 0u);
  EXPECT_THAT(rebalance_texts(), IsEmpty());
}

TEST_F(LoadAware, KeepsWeightsWhenTheSettingsAreReadAgain) {
  start();
  const auto to = receivers_on_one_link();
  const Lfts before = sm().snapshot()->routes.lfts;
  run(12, to);
  ASSERT_EQ(counts().changes, 1u);
  const auto read_settings_again = [&](bool enabled) {
    SmOptions read = options();
    read.cache_dir = sm().options().cache_dir;
    read.load_aware.enabled = enabled;
    sm().set_options(std::move(read));
    sm().request_heavy_sweep("SIGHUP");
    ASSERT_TRUE(subnet_.managed.settle());
  };
  read_settings_again(true);
  EXPECT_NE(port_to(to[0]), port_to(to[1]));
  read_settings_again(false);
  EXPECT_TRUE(sm().snapshot()->routes.lfts == before) << "the routes are those without weights";
}

TEST_F(LoadAware, KeepsWeightsAfterARestart) {
  start();
  const Lfts before = sm().snapshot()->routes.lfts;
  run(12, receivers_on_one_link());
  ASSERT_EQ(counts().changes, 1u);
  const Lfts changed = sm().snapshot()->routes.lfts;
  const std::string path = subnet_.managed.cache() / "guid2weight";
  const auto restart = [&](bool enabled) {
    options().load_aware.enabled = enabled;
    subnet_.managed.start();
    EXPECT_TRUE(subnet_.managed.settle());
    return sm().snapshot()->routes.lfts;
  };
  EXPECT_TRUE(restart(true) == changed);
  EXPECT_TRUE(subnet_.managed.report().warnings.empty());
  EXPECT_TRUE(restart(false) == before) << "the routes are those without weights";
  EXPECT_TRUE(restart(true) == changed) << "the file of weights is kept while the setting is off";
  std::filesystem::remove(path);
  EXPECT_TRUE(restart(true) == before) << "without the file the routes are those without weights";
}

TEST_F(LoadAware, ReportsADamagedFileOfWeightsAndKeepsACopy) {
  const std::string path = subnet_.managed.cache() / "guid2weight";
  std::ofstream(path) << "not a weight\n";
  start();
  EXPECT_THAT(
      subnet_.managed.report().warnings,
      testing::IsSupersetOf({HasSubstr(path + ":1: found 3 words, expected GUID and weight"),
                             HasSubstr(path + ": damaged, copied to " + path + ".damaged")}));
  run(12, receivers_on_one_link());
  EXPECT_EQ(counts().changes, 1u);
  EXPECT_THAT(*read_file(path + ".damaged"), HasSubstr("not a weight"));
  std::vector<std::string> warnings;
  EXPECT_EQ(*read_weights(path, warnings), sm().measured_weights());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(LoadAware, AppliesAShorterIntervalAtOnce) {
  options().load_aware.interval = std::chrono::hours(10);
  start();
  const auto to = receivers_on_one_link();
  run(3, to);
  SmOptions read = sm().options();
  read.load_aware.interval = minutes(2);
  sm().set_options(std::move(read));
  sm().request_heavy_sweep("SIGHUP");
  run(4, to);
  EXPECT_GE(counts().trials, 1u);
}

TEST_F(LoadAware, IgnoresTheTrafficBeforeLoadAwareRoutingIsEnabled) {
  start();
  const auto to = receivers_on_one_link();
  const auto enable = [&](bool enabled) {
    SmOptions read = sm().options();
    read.load_aware.enabled = enabled;
    sm().set_options(std::move(read));
    sm().request_heavy_sweep("SIGHUP");
  };
  run(3, to);
  enable(false);
  run(1, {});
  enable(true);
  run(8, {});
  EXPECT_EQ(counts().trials, 0u)
      << "a trial requires a whole interval after load-aware routing is enabled";
  run(5, {});
  EXPECT_EQ(counts().trials, 1u);
  EXPECT_EQ(counts().changes, 0u);
}

/// The result of a trial is used in a step after the step that began the trial, here a minute
/// later.
TEST_F(LoadAware, CountsTheIntervalFromTheChange) {
  steps_ = 1;
  start();
  const auto to = receivers_on_one_link();
  for (int i = 0; i < 20 && counts().changes == 0; ++i) run_minute(to);
  ASSERT_EQ(counts().changes, 1u);
  run(10, receivers_on_one_link());
  EXPECT_EQ(counts().trials, 1u);
  run(2, receivers_on_one_link());
  EXPECT_EQ(counts().trials, 2u);
}

/// If the routes changed during a trial, the result of the trial is dropped.
TEST_F(LoadAware, DropsATrialOfOtherRoutes) {
  start();
  const auto to = receivers_on_one_link();
  HostTraffic traffic;
  traffic.sent.assign(fabric().endport_count(), 0);
  traffic.received = traffic.sent;
  traffic.sent[first_host().value()] = kBytesPerSecond;
  for (const EndportId id : to) traffic.received[id.value()] = kBytesPerSecond;
  LoadTrial trial = try_measured_weights(sm().snapshot(), sm().options(), traffic);
  EXPECT_GT(trial.gain(), 20);
  auto other = std::make_shared<Snapshot>(*sm().snapshot());
  other->routes.lfts.set(leaf(), fabric().endport(to[0]).lid, PortNum(1));
  trial.snapshot = other;
  EXPECT_FALSE(sm().take_load_trial(trial));
  EXPECT_EQ(counts().trials, 0u);
}

TEST_F(LoadAware, DropsATrialOfAnotherFabric) {
  start();
  HostTraffic traffic;
  traffic.sent.assign(fabric().endport_count(), 0);
  traffic.received = traffic.sent;
  LoadTrial trial = try_measured_weights(sm().snapshot(), sm().options(), traffic);
  EXPECT_EQ(trial.gain(), 0) << "the gain without traffic is 0";
  auto other = std::make_shared<Snapshot>(*sm().snapshot());
  const PortId cut = fabric().port_id(Fabric::node_of(leaf()), port_to(receivers_on_one_link()[0]));
  other->fabric = without(other->fabric, {}, std::vector<PortId>{cut});
  trial.snapshot = other;
  EXPECT_FALSE(sm().take_load_trial(trial));
  EXPECT_EQ(counts().trials, 0u);
}

TEST_F(LoadAware, KeepsRoutesIfTheTrialFindsNoRoutes) {
  options().load_aware.threshold = 0;
  start();
  LoadTrial trial;
  trial.snapshot = sm().snapshot();
  trial.status = fail(Code::kUnroutable, "too few VLs");
  const LogLines log;
  EXPECT_FALSE(sm().take_load_trial(trial));
  EXPECT_EQ(counts().trials, 1u);
  EXPECT_EQ(counts().changes, 0u);
  EXPECT_EQ(log.count("no routes for the measured traffic: too few VLs"), 1u);
}

// ---- The file of weights, and the window of measured rates

TEST(WeightFile, IsUnchangedAfterWritingAndReading) {
  TempDir folder;
  const WeightMemory weights{{Guid(0x5678), 1000}, {Guid(0x1234), 2}};
  ASSERT_TRUE(write_weights(folder / "guid2weight", weights));
  std::vector<std::string> warnings;
  EXPECT_EQ(*read_weights(folder / "guid2weight", warnings), weights);
  EXPECT_THAT(*read_weights(folder / "absent", warnings), IsEmpty());
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(WeightFile, ReportsAndDropsDamagedLines) {
  TempDir folder;
  const std::string path = folder / "guid2weight";
  const struct {
    const char* line;
    const char* why;
  } kCases[] = {{"0x0 5", "found '0x0', expected a GUID in hex"},
                {"host 5", "found 'host', expected a GUID in hex"},
                {"0x5", "found 1 words, expected GUID and weight"},
                {"0x5 0", "found '0', expected a weight from 1 to 1000"},
                {"0x5 1001", "found '1001', expected a weight from 1 to 1000"},
                {"0x5 many", "found 'many', expected a weight from 1 to 1000"},
                {"0x1 5", "GUID 0x0000000000000001 is repeated"}};
  for (const auto& one : kCases) {
    std::ofstream(path) << "0x1 7\n" << one.line << "\n0x2 8\n";
    std::vector<std::string> warnings;
    const auto weights = read_weights(path, warnings);
    ASSERT_TRUE(weights);
    EXPECT_EQ(*weights, (WeightMemory{{Guid(1), 7}, {Guid(2), 8}}));
    EXPECT_THAT(warnings, ElementsAre(HasSubstr(path + ":2: " + one.why))) << one.line;
  }
}

class Window : public ::testing::Test {
 protected:
  Window() : subnet_(fabric_of("fattree2:k=4")) {
    subnet_.options.sweep_time = minutes(1);
    subnet_.start();
    subnet_.manager->on_reading = [this](const CounterStore& store, const Snapshot& snapshot,
                                         TimeNs now) { window_.take(store, snapshot, now); };
  }
  const Fabric& fabric() { return subnet_.managed.fabric(); }
  EndportId host() { return EndportId(fabric().switch_count()); }
  double received() {
    const auto traffic = window_.traffic(fabric());
    return traffic ? traffic->received[host().value()] : -1;
  }

  PerformanceSubnet subnet_;
  TrafficWindow window_;
};

TEST_F(Window, HasMeanRatesFromTheSecondReadingOn) {
  subnet_.sweep();
  EXPECT_EQ(received(), -1);
  for (const std::uint64_t words : {3000, 0, 0}) {
    subnet_.device_counters(fabric().endport(host()).port, Counter::kRcvData) += words;
    subnet_.sweep();
  }
  EXPECT_NEAR(received(), 3000 * 4 / 180.0, 0.1);
  window_.restart();
  EXPECT_EQ(received(), -1);
}

TEST_F(Window, ReadsTheSwitchPortOfAHostWithoutCounters) {
  subnet_.options.ignore_cas = true;
  subnet_.manager->set_options(subnet_.options);
  subnet_.sweep();
  const PortId peer = fabric().port(fabric().endport(host()).port).peer;
  subnet_.device_counters(peer, Counter::kXmitData) += 6000;
  subnet_.sweep();
  EXPECT_NEAR(received(), 6000 * 4 / 60.0, 0.5);
}

TEST_F(Window, BeginsAgainAfterTotalsAreCleared) {
  subnet_.device_counters(fabric().endport(host()).port, Counter::kRcvData) = 6000;
  subnet_.sweep();
  subnet_.manager->clear_counters();
  subnet_.sweep(2);
  EXPECT_EQ(received(), 0);
}

}  // namespace
}  // namespace weft
