// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests of administrators to a running manager, and its reports of sweeps, states and traps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/managers.h"

namespace weft {
namespace {

using testing::Contains;
using testing::ElementsAre;
using namespace std::chrono_literals;

TEST(Operating, StoppingMasterHandsOverToTheBestStandby) {
  Managers managers(fabric_of("fattree2:k=4"));
  const auto master = managers.start(0, 9);
  ASSERT_TRUE(managers.run_until_only_master(master));
  managers.start(1, 3);
  const auto successor = managers.start(2, 5);
  ASSERT_TRUE(managers.run_until([&] {
    return managers.state(1) == SmState::kStandby &&
           managers.state(successor) == SmState::kStandby &&
           managers.sm(master).others().size() == 2;
  }));
  const TimeNs before = managers.emulated().clock().now();
  managers.sm(master).stop_after_handover();
  EXPECT_TRUE(managers.run_until([&] { return !managers.sm(master).stopping(); }, 3s));
  managers.sm(master).stop();
  EXPECT_TRUE(
      managers.run_until([&] { return managers.state(successor) == SmState::kMaster; }, 1s));
  EXPECT_LT(managers.emulated().clock().now() - before, 1s);  // a takeover by polling takes 3 s
  managers.kill(master);
  EXPECT_TRUE(managers.run_until_only_master(successor));
  EXPECT_TRUE(managers.all_ports_have_master(successor));
}

TEST(Operating, HandsOverAndStopsDuringASweep) {
  Managers managers(fabric_of("fattree2:k=4"));
  const auto master = managers.start(0, 9);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const auto successor = managers.start(1, 3);
  ASSERT_TRUE(managers.run_until([&] {
    return managers.state(successor) == SmState::kStandby &&
           managers.sm(master).others().size() == 1;
  }));
  managers.sm(master).request_reroute();
  managers.run_for(1ms);
  managers.sm(master).stop_after_handover();
  EXPECT_TRUE(
      managers.run_until([&] { return managers.state(successor) == SmState::kMaster; }, 3s));
  managers.kill(master);
  EXPECT_TRUE(managers.run_until_only_master(successor));
}

TEST(Operating, HandsOverToTheNextStandbyOrStops) {
  Managers managers(fabric_of("fattree2:k=4"));
  const auto master = managers.start(0, 9);
  ASSERT_TRUE(managers.run_until_only_master(master));
  const auto next = managers.start(1, 3);
  const auto best = managers.start(2, 5);
  ASSERT_TRUE(managers.run_until([&] {
    return managers.state(next) == SmState::kStandby && managers.state(best) == SmState::kStandby &&
           managers.sm(master).others().size() == 2;
  }));
  managers.kill(best);
  managers.sm(master).stop_after_handover();
  EXPECT_TRUE(managers.run_until([&] { return managers.state(next) == SmState::kMaster; }, 10s));
  managers.kill(master);
  ASSERT_TRUE(managers.run_until_only_master(next));
  managers.sm(next).stop_after_handover();
  EXPECT_TRUE(managers.run_until([&] { return managers.sm(next).stopped(); }, 10s));
}

TEST(Operating, SweepsCanBeTurnedOffAndOn) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto sweeps = managed.sm().heavy_sweeps();
  managed.sm().set_sweeping(false);
  const PortId cable = managed.cable_between(SwitchId(0), SwitchId(4));
  managed.emulated().cut_cable(cable);
  managed.sm().request_heavy_sweep("test");
  managed.run_for(1min);
  EXPECT_EQ(managed.sm().heavy_sweeps(), sweeps);
  managed.sm().set_sweeping(true);
  ASSERT_TRUE(managed.settle());
  EXPECT_GT(managed.sm().heavy_sweeps(), sweeps);
  expect_managed(managed);
}

TEST(Operating, RerouteComputesAllRoutes) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.sm().request_reroute();
  ASSERT_TRUE(managed.settle());
  EXPECT_FALSE(managed.report().routes_reused);
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.report().routes_reused);
}

TEST(Operating, ReportsSweepsStatesAndTraps) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_THAT(managed.sm().take_occurrences(),
              ElementsAre(Occurrence(SweepBegun{"first sweep"}),
                          Occurrence(StateEntered{SmState::kDiscovering, SmState::kMaster}),
                          Occurrence(SweepEnded{true, ""})));
  EXPECT_FALSE(managed.sm().has_occurrences());
  managed.emulated().cut_cable(managed.cable_between(SwitchId(0), SwitchId(4)));
  managed.run_for(1s);
  ASSERT_TRUE(managed.settle());
  const auto occurrences = managed.sm().take_occurrences();
  EXPECT_TRUE(std::ranges::any_of(occurrences, [](const Occurrence& occurrence) {
    const auto* trap = std::get_if<TrapReceived>(&occurrence);
    return trap != nullptr && trap->number == 128;
  }));
  EXPECT_THAT(occurrences, Contains(Occurrence(SweepEnded{true, ""})));
}

TEST(Operating, ReturnsReceivedTrapsOnce) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_TRUE(managed.sm().take_traps().empty());
  managed.emulated().cut_cable(managed.cable_between(SwitchId(0), SwitchId(4)));
  managed.run_for(1s);
  ASSERT_TRUE(managed.settle());
  const auto traps = managed.sm().take_traps();
  ASSERT_FALSE(traps.empty());
  for (const Notice& trap : traps) {
    EXPECT_TRUE(trap.is(TrapNumber::kLinkStateChange));
    EXPECT_EQ(trap.issuer_lid, decode_trap_link_state(trap.details).lid);
  }
  EXPECT_TRUE(managed.sm().take_traps().empty());
}

}  // namespace
}  // namespace weft
