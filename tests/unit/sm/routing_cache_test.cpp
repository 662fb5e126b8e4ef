// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Routes after a change: unaffected routes stay, and cached routes (-A) are reused when the fabric
// returns to an earlier state.

#include "sm/programming/routing_cache.h"

#include <gtest/gtest.h>

#include "support/managed_subnet.h"
#include "support/tiny.h"

namespace weft {
namespace {

void run_three_light_sweeps(ManagedSubnet& managed) {
  managed.run_for(30 * kSecond);
  ASSERT_TRUE(managed.settle());
}

/// Number of runs of the engine by the manager.
unsigned runs = 0;
Result<Routes> run_counted(const Fabric& fabric, const RoutingOptions& options) {
  ++runs;
  return find_engine("minhop")->run(fabric, options);
}
constexpr Engine kCounted{"minhop", "", &run_counted};
const Engine* find_counted(std::string_view) { return &kCounted; }

class CachedRoutes : public testing::Test {
 protected:
  CachedRoutes() {
    managed_.options.routing_engine = {{"minhop"}, false};
    managed_.options.find_engine = &find_counted;
    managed_.options.ucast_cache = true;
    runs = 0;
  }
  void bring_up() {
    managed_.start();
    ASSERT_TRUE(managed_.settle());
    ASSERT_EQ(runs, 1u);
  }
  //  4 leaves (S0-S3) of 2 hosts, 2 spines; the manager is on the first host
  ManagedSubnet managed_{fabric_of("fattree2:k=4")};
};

TEST_F(CachedRoutes, ReusesRoutesWhenAHostReboots) {
  bring_up();
  const NodeId host = managed_.fabric().endport(managed_.fabric().endports_at(SwitchId(3))[1]).node;
  const Lfts before = managed_.sm().snapshot()->routes.lfts;
  managed_.emulated().switch_off_node(host);
  run_three_light_sweeps(managed_);
  EXPECT_TRUE(managed_.report().routes_remembered);
  expect_managed(managed_);
  managed_.emulated().switch_on_node(host);
  run_three_light_sweeps(managed_);
  EXPECT_TRUE(managed_.report().routes_remembered);
  expect_managed(managed_);
  EXPECT_EQ(managed_.sm().snapshot()->routes.lfts, before);
  EXPECT_EQ(runs, 1u);
}

TEST_F(CachedRoutes, ReusesRoutesWhenALeafReturns) {
  bring_up();
  const Lfts before = managed_.sm().snapshot()->routes.lfts;
  managed_.emulated().switch_off_node(NodeId(3));
  run_three_light_sweeps(managed_);
  EXPECT_EQ(managed_.sm().snapshot()->fabric.switch_count(), managed_.fabric().switch_count() - 1);
  expect_managed(managed_);
  managed_.emulated().switch_on_node(NodeId(3));
  run_three_light_sweeps(managed_);
  expect_managed(managed_);
  EXPECT_EQ(managed_.sm().snapshot()->routes.lfts, before);
  EXPECT_EQ(runs, 1u);
}

TEST_F(CachedRoutes, ReusesRoutesWhenACutCableReturns) {
  bring_up();
  const Lfts before = managed_.sm().snapshot()->routes.lfts;
  const PortId cable = managed_.cable_between(SwitchId(0), SwitchId(4));
  managed_.emulated().cut_cable(cable);
  run_three_light_sweeps(managed_);
  EXPECT_FALSE(managed_.report().routes_remembered);
  EXPECT_EQ(runs, 2u);
  expect_managed(managed_);
  for (int i = 0; i < 3; ++i) {
    managed_.emulated().restore_cable(cable);
    run_three_light_sweeps(managed_);
    EXPECT_EQ(managed_.sm().snapshot()->routes.lfts, before);
    expect_managed(managed_);
    managed_.emulated().cut_cable(cable);
    run_three_light_sweeps(managed_);
    expect_managed(managed_);
  }
  EXPECT_EQ(runs, 2u);
}

TEST(RoutingCaches, DoNotReuseRoutesOfHostsThatChangedPlaces) {
  Snapshot snapshot;
  snapshot.fabric = Tiny(2).link(0, 1).hosts(0).hosts(1).build();
  snapshot.routes = *run_engine(*find_engine("minhop"), snapshot.fabric, {});
  RoutingCache cache;
  cache.remember(std::make_shared<const Snapshot>(snapshot));
  EXPECT_TRUE(cache.find(snapshot.fabric));
  EXPECT_TRUE(cache.find(Tiny(2).link(0, 1).hosts(0).build()))
      << "the cached routes must apply when one host is missing";
  EXPECT_FALSE(cache.find(Tiny(2).link(0, 1).hosts(1).hosts(0).build()));
}

TEST_F(CachedRoutes, NewSettingsClearTheCache) {
  bring_up();
  const NodeId host = managed_.fabric().endport(managed_.fabric().endports_at(SwitchId(3))[1]).node;
  managed_.sm().set_options(managed_.options);
  managed_.emulated().switch_off_node(host);
  run_three_light_sweeps(managed_);
  EXPECT_EQ(runs, 2u);
  expect_managed(managed_);
}

TEST_F(CachedRoutes, CachesNothingByDefault) {
  managed_.options.ucast_cache = false;
  bring_up();
  const NodeId host = managed_.fabric().endport(managed_.fabric().endports_at(SwitchId(3))[1]).node;
  managed_.emulated().switch_off_node(host);
  run_three_light_sweeps(managed_);
  EXPECT_EQ(runs, 2u);
}

/// Number of entries that differ between two tables of one fabric, at switches with CAs. At other
/// switches more entries change, to keep paths to and from port 0 deadlock-free.
std::size_t entries_changed(const Fabric& fabric, const Lfts& a, const Lfts& b) {
  std::size_t changed = 0;
  for (std::uint32_t s = 0; s < a.switch_count(); ++s)
    for (unsigned lid = 0; lid <= a.top().value(); ++lid)
      changed += !fabric.endports_at(SwitchId(s)).empty() &&
                 a.port(SwitchId(s), Lid(static_cast<std::uint16_t>(lid))) !=
                     b.port(SwitchId(s), Lid(static_cast<std::uint16_t>(lid)));
  return changed;
}

TEST(RoutesOfUpdates, ChangeOnlyOverTheCutCable) {
  ManagedSubnet managed(fabric_of("fattree3:k=4"));
  managed.options.routing_engine = {{"minhop"}, false};
  managed.options.rebalance = false;
  managed.start();
  ASSERT_TRUE(managed.settle());
  const auto before = managed.sm().snapshot();
  const Channel& channel = before->fabric.channel(ChannelId(0));
  std::size_t used = 0;
  for (unsigned lid = 1; lid <= before->routes.lfts.top().value(); ++lid) {
    const Lid at(static_cast<std::uint16_t>(lid));
    used += before->routes.lfts.port(channel.from, at) == channel.from_port;
    used += before->routes.lfts.port(channel.to, at) == channel.to_port;
  }
  ASSERT_GT(used, 0u);
  const PortId cable = managed.cable_between(channel.from, channel.to);
  managed.emulated().cut_cable(cable);
  run_three_light_sweeps(managed);
  expect_managed(managed);
  const auto after = managed.sm().snapshot();
  ASSERT_EQ(after->fabric.link_count(), before->fabric.link_count() - 1);
  // The entries that used the cable must change. If a pod loses a spine, entries at its other
  // switches change too.
  EXPECT_GE(entries_changed(before->fabric, before->routes.lfts, after->routes.lfts), used);
  EXPECT_LE(entries_changed(before->fabric, before->routes.lfts, after->routes.lfts), 3 * used);
  managed.emulated().restore_cable(cable);
  run_three_light_sweeps(managed);
  expect_managed(managed);
  const auto again = managed.sm().snapshot();
  EXPECT_EQ(again->fabric.link_count(), before->fabric.link_count());
  EXPECT_LE(entries_changed(after->fabric, after->routes.lfts, again->routes.lfts), 2 * used);
}

TEST(RoutesOfUpdates, AreComputedAnewAfterChangedSettings) {
  ManagedSubnet managed(fabric_of("fattree2:k=4"));
  managed.options.rebalance = false;
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.options.routing.plain.balance = Balance::kLocal;
  managed.sm().set_options(managed.options);
  managed.sm().request_heavy_sweep("test");
  ASSERT_TRUE(managed.settle());
  const auto snapshot = managed.sm().snapshot();
  const auto recomputed = find_engine("updn")->run(snapshot->fabric, {.balance = Balance::kLocal});
  EXPECT_EQ(snapshot->routes.lfts, recomputed->lfts);
}

}  // namespace
}  // namespace weft
