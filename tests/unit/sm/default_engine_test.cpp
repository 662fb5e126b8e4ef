// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The engine of a manager without routing_engine: ar_updn on trees in which all switches announce
// adaptive routing. The first switch that does not announce adaptive routing ends the queries.
#include "sm/sweep/default_engine.h"

#include <gtest/gtest.h>

#include "ib/vendor/device_capabilities.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

constexpr const char* kTree = "fattree2:k=4";

EmulatorOptions quantum(AdaptiveSwitches kind) {
  EmulatorOptions options;
  options.adaptive = kind;
  return options;
}

/// A manager without routing_engine on a generated fabric.
struct DefaultEngine : ManagedSubnet {
  explicit DefaultEngine(const std::string& spec, AdaptiveSwitches kind)
      : ManagedSubnet(fabric_of(spec), quantum(kind)) {
    options.routing_engine = {{std::string(kDefaultEngine)}, true, Objective::kBalanced, true};
  }
  std::string engine() { return sm().snapshot()->routes.engine; }
  std::uint64_t queries(AttributeId attribute) {
    return emulated().counters().requests(Method::kGet, attribute);
  }
  bool sweep() {
    emulated().reset_counters();
    sm().request_heavy_sweep("a test");
    return settle();
  }
  std::size_t adaptive_switches() {
    std::size_t count = 0;
    for (std::uint32_t s = 0; s < fabric().switch_count(); ++s)
      count += emulated().adaptive(SwitchId(s)).info.enabled ? 1 : 0;
    return count;
  }
};

TEST(DefaultEngines, AreAdaptiveOnATreeWhereAllSwitchesAnnounceAdaptiveRouting) {
  DefaultEngine managed(kTree, AdaptiveSwitches::kAnswered);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.engine(), "ar_updn");
  EXPECT_EQ(managed.adaptive_switches(), 4u) << "only the leaves have AR groups";
  ASSERT_TRUE(managed.sweep());
  EXPECT_TRUE(managed.report().routes_reused);
  EXPECT_EQ(managed.sets(kArGroupTable), 0u);
  EXPECT_EQ(managed.adaptive_switches(), 4u);
}

TEST(DefaultEngines, ArePlainWhereASwitchLacksAdaptiveRouting) {
  DefaultEngine managed(kTree, AdaptiveSwitches::kMixed);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.engine(), "minhop");
  EXPECT_EQ(managed.adaptive_switches(), 0u);
  ASSERT_TRUE(managed.sweep());
  EXPECT_EQ(managed.queries(kGeneralInfo) + managed.queries(kAdaptiveRoutingInfo), 0u);
}

TEST(DefaultEngines, QueryOneSwitchOfAKindThatDoesNotAnswer) {
  DefaultEngine managed(kTree, AdaptiveSwitches::kIgnored);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.engine(), "minhop");
  EXPECT_EQ(managed.queries(kGeneralInfo), 1u + managed.options.transaction_retries);
}

/// All switches with adaptive routing support system image GUIDs, which ibsim's switches do not.
TEST(DefaultEngines, QueryNoSwitchesWithoutSystemImageGuids) {
  DefaultEngine managed(kTree, AdaptiveSwitches::kAnswered);
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s)
    managed.emulated().set_capability_mask(managed.fabric().port_id(NodeId(s), PortNum(0)),
                                           cap_mask::kTrap | cap_mask::kExtendedSpeeds);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.engine(), "minhop");
  EXPECT_EQ(managed.queries(kGeneralInfo), 0u);
}

TEST(DefaultEngines, ArePlainOnOtherFabricsThanTrees) {
  DefaultEngine managed("torus:3x3,hosts=1", AdaptiveSwitches::kAnswered);
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.engine(), "minhop");
  EXPECT_EQ(managed.adaptive_switches(), 0u);
  ASSERT_TRUE(managed.sweep());
  EXPECT_EQ(managed.queries(kAdaptiveRoutingInfo), 0u)
      << "minhop does not use the AR settings, so the switches must not be queried";
}

/// An earlier manager may have enabled adaptive routing.
TEST(DefaultEngines, QueryOnceWithAnEngineOrWithoutAdaptiveRouting) {
  for (const bool configured : {true, false}) {
    DefaultEngine managed(kTree, AdaptiveSwitches::kAnswered);
    managed.options.routing_engine.is_default = !configured;
    if (!configured) managed.options.routing.adaptive = ArConf{.enable = false};
    managed.start();
    ASSERT_TRUE(managed.settle());
    EXPECT_EQ(managed.engine(), "minhop");
    EXPECT_EQ(managed.queries(kGeneralInfo), managed.fabric().switch_count());
    ASSERT_TRUE(managed.sweep());
    EXPECT_EQ(managed.queries(kGeneralInfo) + managed.queries(kAdaptiveRoutingInfo), 0u);
  }
}

TEST(DefaultEngines, StayWhileTheCapabilitiesOfASwitchAreUnknown) {
  DefaultEngine managed(kTree, AdaptiveSwitches::kAnswered);
  const NodeId spine(managed.fabric().switch_count() - 1);  // spines come after the leaves
  bool announces = true;
  managed.emulated().set_filter([&](const Smp& smp, NodeId, NodeId to) {
    return announces || to != spine || smp.attribute != kGeneralInfo
               ? EmulatedFabric::Delivery::kPass
               : EmulatedFabric::Delivery::kLose;
  });
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_EQ(managed.engine(), "ar_updn");

  // After power-up the capabilities of the switch stay unknown, which must not change all routes.
  announces = false;
  managed.emulated().switch_off_node(spine);
  ASSERT_TRUE(managed.sweep());
  EXPECT_EQ(managed.engine(), "ar_updn");
  managed.emulated().switch_on_node(spine);
  managed.run_for(std::chrono::seconds(30));
  ASSERT_EQ(managed.known().switch_count(), 6u);
  EXPECT_EQ(managed.engine(), "ar_updn");
  EXPECT_EQ(managed.adaptive_switches(), 4u);
  expect_managed(managed);

  // A new manager cannot read the capabilities of the switch, so it selects minhop and deletes the
  // AR groups.
  managed.start();
  ASSERT_TRUE(managed.settle());
  EXPECT_EQ(managed.engine(), "minhop");
  EXPECT_EQ(managed.adaptive_switches(), 0u);
  expect_managed(managed);

  announces = true;
  ASSERT_TRUE(managed.sweep());
  EXPECT_EQ(managed.engine(), "ar_updn");
  EXPECT_EQ(managed.adaptive_switches(), 4u);
  expect_managed(managed);
}

}  // namespace
}  // namespace weft
