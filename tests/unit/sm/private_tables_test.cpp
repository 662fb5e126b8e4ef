// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Private forwarding tables (pLFTs) with the engine dfp2 on emulated dragonflies+, and with kdor on
// a damaged torus.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "emulator/snapshot.h"
#include "ib/adaptive_unconfirmed.h"
#include "ib/vendor/private_lfts.h"
#include "sm/adaptive/private_layout.h"
#include "support/managed_subnet.h"
#include "unit/sm/set_order.h"
#include "verify/verify.h"

namespace weft {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kDragonflyPlus = "dragonflyplus:leaves=3,spines=3,h=1,hosts=2";

class PrivateSubnet : public ManagedSubnet {
 public:
  explicit PrivateSubnet(FeatureDevices private_lfts = FeatureDevices::kAll,
                         AdaptiveSwitches adaptive = AdaptiveSwitches::kAnswered,
                         bool notifications = false)
      : PrivateSubnet(kDragonflyPlus, "dfp2", emulator(private_lfts, adaptive, notifications)) {}
  PrivateSubnet(const char* spec, const char* engine, EmulatorOptions emulator)
      : ManagedSubnet(fabric_of(spec), emulator) {
    options.routing_engine = {{engine}, false};
    options.verify = VerifyMode::kEnforce;
  }
  const Routes& routes() { return sm().snapshot()->routes; }
  void up() {
    start();
    ASSERT_TRUE(settle());
    expect_private_tables();
  }
  /// A heavy sweep with the current options.
  void sweep() {
    emulated().reset_counters();
    sm().set_options(options);
    sm().request_heavy_sweep("a test");
    ASSERT_TRUE(settle());
    expect_private_tables();
  }
  /// Expects the published tables at all switches, and that their selections are verified.
  void expect_private_tables() {
    expect_managed(*this);
    Routes held = read_choices(emulated());
    const Routes& wanted = routes();
    held.path_sl = wanted.path_sl;  // both fabrics have the same switches, sorted by GUID
    for (std::uint32_t s = 0; s < known().switch_count(); ++s) {
      const SwitchId real(fabric().find_node(known().node(SwitchId(s)).node_guid)->value());
      if (!emulated().adaptive(real).info.enabled) continue;
      for (std::uint8_t in = 0; in <= fabric().node(real).port_count; ++in)
        for (const Sl sl : {Sl(0), Sl(1), Sl(15)})
          for (unsigned l = 1; l <= wanted.lfts.top().value(); ++l) {
            const Lid lid(static_cast<std::uint16_t>(l));
            const PortMask* group =
                wanted.adaptive->table_for(SwitchId(s), PortNum(in), sl).group_of(SwitchId(s), lid);
            const unsigned table = emulated().adaptive(real).plft.table(PortNum(in), sl);
            const std::uint16_t number = emulated().adaptive(real).group_number(lid, table);
            ASSERT_EQ(group != nullptr, number != emulator::AdaptiveModel::kNoGroup)
                << "switch " << s << " port " << unsigned{in} << " LID " << l;
            if (group == nullptr) continue;
            ASSERT_EQ(*group, emulated().adaptive(real).ports(number)) << "switch " << s;
          }
    }
    const auto lids = read_fabric(emulated());
    ASSERT_TRUE(lids);
    EXPECT_TRUE(verify(*lids, held).cas_ok());
  }
  /// Number of switches with a mode of private tables in use.
  unsigned in_use() {
    unsigned count = 0;
    for (std::uint32_t s = 0; s < fabric().switch_count(); ++s)
      count += emulated().adaptive(SwitchId(s)).plft.in_use() ? 1 : 0;
    return count;
  }
  std::uint64_t writes() const {
    return sets(kPrivateLftInfo) + sets(kPrivateLftDef) + sets(kPrivateLftMap) +
           sets(kPortSlToPrivateLftMap) + sets(kArGroupTable) + sets(kArForwardingTable) +
           sets(kAdaptiveRoutingInfo) + sets(AttributeId::kLinearForwardingTable);
  }

  static EmulatorOptions emulator(FeatureDevices private_lfts, AdaptiveSwitches adaptive,
                                  bool notifications) {
    EmulatorOptions options;
    options.notifications = notifications;
    options.adaptive = adaptive;
    options.private_lfts = private_lfts;
    return options;
  }
};

TEST(PrivateTables, AreInUseOnAllSwitchesAndWrittenOnce) {
  for (const auto& [spec, engine] :
       {std::pair(kDragonflyPlus, "dfp2"), {"torus:6x6,hosts=1,fail=3", "kdor-hc"}}) {
    PrivateSubnet managed(
        spec, engine,
        PrivateSubnet::emulator(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, false));
    managed.up();
    EXPECT_EQ(managed.routes().engine, engine);
    EXPECT_TRUE(managed.routes().adaptive->has_private_tables());
    EXPECT_EQ(managed.in_use(), managed.fabric().switch_count());
    EXPECT_EQ(managed.report().adaptive.private_switches, managed.fabric().switch_count());
    EXPECT_EQ(managed.report().adaptive.errors, 0u);
    EXPECT_GT(managed.report().adaptive.private_blocks, 0u);
    managed.sweep();
    EXPECT_EQ(managed.writes(), 0u) << "a second sweep must write nothing";
  }
}

TEST(PrivateTables, AreWrittenBeforeTheirModeAndThisModeBeforeAdaptiveRoutingIsEnabled) {
  PrivateSubnet managed;
  SetOrder order(managed);
  managed.up();
  EXPECT_THAT(order.take(), ElementsAre("plain tables", "definitions", "tops", "inputs", "groups",
                                        "entries of 0", "entries of 1", "hash", "mode", "on"));
  managed.options.routing_engine = {{"ar_dfp"}, false};
  managed.sweep();
  EXPECT_THAT(order.take(), ElementsAre("off", "no mode", "on"));
  managed.options.routing_engine = {{"dfp2"}, false};
  managed.sweep();
  EXPECT_THAT(order.take(), ElementsAre("off", "mode", "on"));
}

// After a request for a full discovery the manager reads the tables of all switches.
TEST(PrivateTables, AreNotWrittenAgainIfSwitchesHoldThem) {
  PrivateSubnet managed;
  managed.up();
  managed.emulated().reset_counters();
  managed.sm().request_full_discovery("a test");
  ASSERT_TRUE(managed.settle());
  EXPECT_GT(managed.emulated().counters().requests(Method::kGet, kPrivateLftMap), 0u);
  EXPECT_EQ(managed.writes(), 0u);
}

TEST(PrivateTables, AreProgrammedByAManagerThatStartsAgain) {
  PrivateSubnet managed;
  managed.up();
  managed.end_manager();
  managed.emulated().reset_counters();
  managed.up();
  EXPECT_EQ(managed.in_use(), managed.fabric().switch_count());
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
}

TEST(PrivateTables, AreNotInUseWithAnEngineWithoutThem) {
  PrivateSubnet managed;
  managed.up();
  managed.options.routing_engine = {{"ar_dfp"}, false};
  managed.sweep();
  EXPECT_EQ(managed.in_use(), 0u);
  EXPECT_FALSE(managed.routes().adaptive->has_private_tables());
  managed.options.routing_engine = {{"dfp2"}, false};
  managed.sweep();
  EXPECT_EQ(managed.in_use(), managed.fabric().switch_count());
}

TEST(PrivateTables, ChangeWhenACableFails) {
  PrivateSubnet managed;
  managed.up();
  managed.emulated().cut_cable(managed.cable_between(SwitchId(0), SwitchId(3)));
  ASSERT_TRUE(managed.settle());
  managed.run_for(5 * kSecond);
  ASSERT_TRUE(managed.settle());
  managed.sweep();
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
}

/// Groups of switches with private tables are numbered for each switch, so that the number in a
/// notification would denote other LIDs at other switches.
TEST(PrivateTables, AreUsedWithoutFrnAndPersistentNotifications) {
  PrivateSubnet managed(FeatureDevices::kAll, AdaptiveSwitches::kAnswered, true);
  managed.options.shield_mode = true;
  managed.up();
  EXPECT_EQ(managed.in_use(), managed.fabric().switch_count());
  EXPECT_EQ(managed.sets(kPfrnConfig), 0u);
  for (std::uint32_t s = 0; s < managed.fabric().switch_count(); ++s) {
    const emulator::AdaptiveModel& model = managed.emulated().adaptive(SwitchId(s));
    ASSERT_TRUE(model.info.frn_capable);
    EXPECT_FALSE(model.info.rn_transmission) << s;
    EXPECT_EQ(model.info.more_enabled & AdaptiveRoutingInfo::kPfrnEnabled, 0) << s;
  }
}

// Of every four switches one supports all, one does not select tables by SL, one does not respond,
// and one refuses the attributes.
TEST(PrivateTables, AreUsedWherePartOfTheSwitchesSupportsThem) {
  for (const auto adaptive : {AdaptiveSwitches::kAnswered, AdaptiveSwitches::kMixed}) {
    PrivateSubnet managed(FeatureDevices::kMixed, adaptive);
    managed.up();
    EXPECT_EQ(managed.routes().engine, "dfp2");
    EXPECT_THAT(managed.routes().notes, Contains(HasSubstr("dfp2:")));
    EXPECT_LT(managed.in_use(), managed.fabric().switch_count());
    managed.sweep();
    EXPECT_EQ(managed.writes(), 0u);
  }
}

TEST(PrivateTables, AreNotRequestedFromSwitchesThatDoNotAnnounceThem) {
  for (const auto devices : {FeatureDevices::kNone, FeatureDevices::kSilent}) {
    PrivateSubnet managed(devices);
    managed.up();
    EXPECT_THAT(managed.routes().notes,
                Contains(HasSubstr("no switch has both private forwarding tables")));
    EXPECT_EQ(managed.in_use(), 0u);
    EXPECT_EQ(managed.emulated().counters().requests(Method::kGet, kPrivateLftInfo), 0u);
    EXPECT_GT(managed.report().adaptive.on, 0u) << "minimal paths are adaptive";
  }
}

TEST(PrivateLayout, UsesTheFirstModeInWhichTheTablesFit) {
  PrivateLftInfo info{.table_count = 4, .mode_count = 2, .mode_in_use = 0};
  info.modes[0] = {.bank_size = 1, .banks = 1};
  info.modes[1] = {.bank_size = 2, .banks = 2};
  const auto small = private_layout(info, 2, Lid(511));
  ASSERT_TRUE(small);
  EXPECT_EQ(small->mode, 1);
  EXPECT_EQ(small->tables[1].bank, 0);
  EXPECT_EQ(small->tables[1].offset, 1);
  const auto large = private_layout(info, 3, Lid(1023));
  ASSERT_TRUE(large);
  EXPECT_EQ(large->mode, 2);
  EXPECT_EQ(large->tables[1].offset, 2);
  EXPECT_EQ(large->tables[2].bank, 1);
  EXPECT_EQ(large->tables[2].size, 2);
  EXPECT_FALSE(private_layout(info, 2, Lid(2048))) << "no table of 5 units fits in a bank";
  EXPECT_EQ(forwarding_tables_that_fit(info, Lid(1023)), 4u);
  EXPECT_EQ(forwarding_tables_that_fit(info, Lid(2047)), 2u);
  EXPECT_EQ(forwarding_tables_that_fit(info, Lid(2048)), 1u);
  info.table_count = 3;
  EXPECT_EQ(forwarding_tables_that_fit(info, Lid(511)), 3u) << "the switch has three tables";
}

}  // namespace
}  // namespace weft
