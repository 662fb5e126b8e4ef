// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hash-based forwarding (HBF) and persistent fault notifications (pFRN), set on switches that
// announce them.
#include "sm/adaptive/ar_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/managed_subnet.h"

namespace weft {
namespace {

using Info = AdaptiveRoutingInfo;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class SetSubnet : public ManagedSubnet {
 public:
  explicit SetSubnet(AdaptiveSwitches kind = AdaptiveSwitches::kAnswered,
                     const char* engine = "ar_updn", const char* spec = "fattree3:k=4")
      : ManagedSubnet(fabric_of(spec), emulator(kind)) {
    options.routing_engine = {{engine}, false};
  }
  const emulator::AdaptiveModel& model(std::uint32_t sw) {
    return emulated().adaptive(SwitchId(sw));
  }
  /// Switches on which adaptive routing is enabled.
  std::vector<std::uint32_t> adaptive() {
    std::vector<std::uint32_t> found;
    for (std::uint32_t s = 0; s < fabric().switch_count(); ++s)
      if (model(s).info.enabled) found.push_back(s);
    return found;
  }
  Guid guid(std::uint32_t sw) const { return fabric().node(SwitchId(sw)).node_guid; }
  void sweep() {
    emulated().reset_counters();
    sm().set_options(options);
    sm().request_heavy_sweep("a test");
    ASSERT_TRUE(settle());
    expect_managed(*this);
  }

 private:
  static EmulatorOptions emulator(AdaptiveSwitches kind) {
    EmulatorOptions options;
    options.adaptive = kind;
    options.notifications = true;
    return options;
  }
};

TEST(HashForwarding, HasTheDefaultsOfTheVendor) {
  SetSubnet managed;
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  ASSERT_EQ(managed.adaptive().size(), 20u);
  for (const std::uint32_t s : managed.adaptive()) {
    const HbfConfig& hashing = managed.model(s).hashing;
    EXPECT_EQ(hashing.hash, HbfConfig::kCrc);
    EXPECT_EQ(hashing.seed_type, HbfConfig::kConfiguredSeed);
    EXPECT_EQ(hashing.seed, static_cast<std::uint32_t>(managed.guid(s).value()));
    EXPECT_EQ(hashing.fields, 0x40F00C0Fu);
    EXPECT_EQ(managed.model(s).info.hbf_sl_mask, 0xFFFF);
    EXPECT_NE(managed.model(s).info.more_enabled & Info::kHbfBySlEnabled, 0);
  }
  managed.sweep();
  EXPECT_EQ(managed.sets(kHbfConfig), 0u) << "the switches have these settings already";
}

TEST(HashForwarding, IsSetAsConfiguredAndCanBeDisabled) {
  SetSubnet managed;
  managed.options.hbf_sl_mask = 0x00F0;
  managed.options.hbf_hash_type = HbfConfig::kXor;
  managed.options.hbf_seed_type = HbfConfig::kRandomSeed;
  managed.options.hbf_seed = 7;
  managed.options.hbf_hash_fields = 0x3;
  managed.start();
  ASSERT_TRUE(managed.settle());
  for (const std::uint32_t s : managed.adaptive()) {
    EXPECT_EQ(managed.model(s).hashing,
              (HbfConfig{HbfConfig::kXor, HbfConfig::kRandomSeed, 7, 0x3}));
    EXPECT_EQ(managed.model(s).info.hbf_sl_mask, 0x00F0);
  }
  managed.options.hbf_hash_fields = 0x7;
  managed.sweep();
  EXPECT_EQ(managed.sets(kHbfConfig), 20u);
  for (const std::uint32_t s : managed.adaptive()) EXPECT_EQ(managed.model(s).hashing.fields, 0x7u);
  managed.options.hbf_sl_mask = 0;
  managed.sweep();
  EXPECT_EQ(managed.sets(kHbfConfig), 0u);
  for (const std::uint32_t s : managed.adaptive()) {
    EXPECT_EQ(managed.model(s).info.more_enabled & Info::kHbfBySlEnabled, 0);
    EXPECT_EQ(managed.model(s).info.hbf_sl_mask, 0);
  }
}

TEST(HashForwarding, IsNotSetOnSwitchesWithoutTheCapability) {
  SetSubnet managed(AdaptiveSwitches::kMixed);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
  std::size_t with = 0;
  for (const std::uint32_t s : managed.adaptive())
    with += (managed.model(s).info.more_capabilities & Info::kHbfCapable) != 0 ? 1 : 0;
  EXPECT_LT(with, managed.adaptive().size());
  EXPECT_EQ(managed.sets(kHbfConfig), with);
  EXPECT_EQ(managed.sets(kPfrnConfig), with) << "the same switches announce pFRN";
}

TEST(HashForwarding, HashesOnlyFieldsThatASwitchAnnounces) {
  SetSubnet managed(AdaptiveSwitches::kMixed, "ar_updn", "fattree3:k=8");
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.report().adaptive.refused, 0u);
  std::set<std::uint64_t> fields;
  for (const std::uint32_t s : managed.adaptive()) {
    const emulator::AdaptiveModel& model = managed.model(s);
    if ((model.info.more_capabilities & Info::kHbfCapable) == 0) continue;
    EXPECT_NE(model.info.more_enabled & Info::kHbfBySlEnabled, 0);
    fields.insert(model.hashing.fields);
  }
  EXPECT_EQ(fields, (std::set<std::uint64_t>{0x40F00C0F, 0x40300C0F, 0x40200C0F}));
}

TEST(HashForwarding, IsDisabledAtSwitchesThatHashNoneOfTheFields) {
  SetSubnet managed(AdaptiveSwitches::kMixed, "ar_updn", "fattree3:k=8");
  managed.options.hbf_hash_fields = HbfConfig::kDestinationQp;
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  std::size_t with = 0;
  for (const std::uint32_t s : managed.adaptive()) {
    const Info& info = managed.model(s).info;
    const bool hashes = (info.more_capabilities & Info::kDestinationQpHashCapable) != 0;
    EXPECT_EQ((info.more_enabled & Info::kHbfBySlEnabled) != 0, hashes) << s;
    if ((info.more_capabilities & Info::kHbfCapable) != 0) {
      EXPECT_EQ(info.hbf_sl_mask, hashes ? 0xFFFF : 0) << s;
    }
    with += hashes ? 1 : 0;
  }
  EXPECT_GT(with, 0u);
  EXPECT_EQ(managed.sets(kHbfConfig), with);
}

/// Adaptive routing stays enabled, and the warning appears once.
TEST(HashForwarding, IsDisabledOnlyAtASwitchThatStoresOtherFields) {
  SetSubnet managed;
  DeviceBehavior fewer_fields;
  fewer_fields.stored_hash_fields = 0xF;
  managed.emulated().set_behavior(NodeId(5), fewer_fields);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.adaptive().size(), 20u);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
  EXPECT_EQ(managed.report().adaptive.refused, 1u);
  EXPECT_THAT(managed.report().warnings,
              Contains(AllOf(HasSubstr("HBFConfig"), HasSubstr("fields 0xf, expected"),
                             HasSubstr("fields 0x40f00c0f: hash-based forwarding is disabled"))));
  for (const std::uint32_t s : managed.adaptive()) {
    EXPECT_EQ((managed.model(s).info.more_enabled & Info::kHbfBySlEnabled) != 0, s != 5) << s;
    EXPECT_EQ(managed.model(s).info.hbf_sl_mask, s == 5 ? 0 : 0xFFFF) << s;
  }
  managed.sweep();
  EXPECT_EQ(managed.sets(kHbfConfig), 0u);
  EXPECT_EQ(managed.sets(kAdaptiveRoutingInfo), 0u);
  EXPECT_THAT(managed.report().warnings, Not(Contains(HasSubstr("HBFConfig"))));
  managed.options.hbf_hash_fields = 0x3;
  managed.sweep();
  EXPECT_NE(managed.model(5).info.more_enabled & Info::kHbfBySlEnabled, 0)
      << "other fields must be tried";
}

TEST(HashForwarding, IsDisabledOnlyAtASwitchThatRefusesTheSetting) {
  SetSubnet managed;
  DeviceBehavior refuses;
  refuses.refused_status = mad_status::kInvalidField;
  refuses.refused_method = Method::kSet;
  refuses.refused_attribute = kHbfConfig;
  managed.emulated().set_behavior(NodeId(5), refuses);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.adaptive().size(), 20u);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
  EXPECT_THAT(managed.report().warnings, Contains(HasSubstr("HBFConfig")));
  EXPECT_EQ(managed.model(5).info.more_enabled & Info::kHbfBySlEnabled, 0);
}

TEST(PersistentNotifications, AreDisabledOnlyAtASwitchThatStoresOtherTimes) {
  SetSubnet managed;
  DeviceBehavior rounds;
  rounds.pfrn_time_step_s = 7;
  managed.emulated().set_behavior(NodeId(5), rounds);
  managed.start();
  ASSERT_TRUE(managed.settle());
  expect_managed(managed);
  EXPECT_EQ(managed.adaptive().size(), 20u);
  EXPECT_EQ(managed.report().adaptive.errors, 0u);
  EXPECT_THAT(managed.report().warnings,
              Contains(AllOf(HasSubstr("pFRNConfig"), HasSubstr("after 182 s and"),
                             HasSubstr("pFRN is disabled at this switch"))));
  for (const std::uint32_t s : managed.adaptive()) {
    EXPECT_EQ((managed.model(s).info.more_enabled & Info::kPfrnEnabled) != 0, s != 5) << s;
    EXPECT_NE(managed.model(s).info.more_enabled & Info::kHbfBySlEnabled, 0) << s;
  }
  managed.sweep();
  EXPECT_EQ(managed.sets(kPfrnConfig), 0u);
  EXPECT_EQ(managed.sets(kAdaptiveRoutingInfo), 0u);
  managed.options.pfrn_mask_clear_timeout = 70;
  managed.options.pfrn_mask_force_clear_timeout = 700;
  managed.sweep();
  EXPECT_NE(managed.model(5).info.more_enabled & Info::kPfrnEnabled, 0)
      << "other times must be tried";
}

/// A switch with pFRN but without FRN has no notifications in the routes.
TEST(PersistentNotifications, AreUsedOnlyWhereGroupsAreNumberedByLeaf) {
  Routes routes;
  routes.engine = "ar_updn";
  routes.adaptive = ArTables(2, Lid(4));
  ArHeld held;
  held.info.more_capabilities = Info::kPfrnCapable;
  const auto uses = [&](std::uint32_t sw) {
    return uses_pfrn(held, ArConf{}, routes, SwitchId(sw));
  };
  EXPECT_FALSE(uses(0)) << "groups are numbered for each switch";
  std::vector<SwitchNotifications> notifications(2);
  notifications[0].received.resize(4);
  routes.adaptive->set_notifications(notifications);
  EXPECT_FALSE(uses(0)) << "leaves have no numbers";
  routes.adaptive->set_numbers({.of_lid = {0, 1}, .lid_of = {Lid(0), Lid(1)}});
  EXPECT_TRUE(uses(0));
  EXPECT_FALSE(uses(1)) << "the groups of switch 1 are not numbered by leaf";
}

TEST(PersistentNotifications, AreSetWithTheDefaultsOfTheVendor) {
  SetSubnet managed;
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_EQ(managed.adaptive().size(), 20u);
  for (const std::uint32_t s : managed.adaptive()) {
    const PfrnConfig& pfrn = managed.model(s).pfrn;
    EXPECT_EQ(pfrn.sl, 0);
    EXPECT_EQ(pfrn.policy, PfrnConfig::kTree);
    EXPECT_EQ(pfrn.clear_s, 180);
    EXPECT_EQ(pfrn.force_clear_s, 720);
    EXPECT_NE(managed.model(s).info.more_enabled & Info::kPfrnEnabled, 0);
  }
  EXPECT_EQ(managed.report().adaptive.errors, 0u)
      << "an answer of a switch that does not select the policy is no error";
  managed.sweep();
  EXPECT_EQ(managed.sets(kPfrnConfig), 0u);
  managed.options.pfrn_sl = 3;
  managed.options.pfrn_mask_clear_timeout = 10;
  managed.options.pfrn_mask_force_clear_timeout = 20;
  managed.sweep();
  for (const std::uint32_t s : managed.adaptive()) {
    const PfrnConfig& pfrn = managed.model(s).pfrn;
    EXPECT_EQ(pfrn.sl, 3);
    EXPECT_EQ(pfrn.clear_s, 10);
    EXPECT_EQ(pfrn.force_clear_s, 20);
  }
}

TEST(PersistentNotifications, AreOffWithoutShieldModeAndForOtherEngines) {
  SetSubnet managed;
  managed.start();
  ASSERT_TRUE(managed.settle());
  managed.options.shield_mode = false;
  managed.sweep();
  ASSERT_FALSE(managed.adaptive().empty());
  for (const std::uint32_t s : managed.adaptive())
    EXPECT_EQ(managed.model(s).info.more_enabled & Info::kPfrnEnabled, 0);
  SetSubnet other(AdaptiveSwitches::kAnswered, "ar_dor", "mesh:3x3,hosts=1");
  other.start();
  ASSERT_TRUE(other.settle());
  EXPECT_EQ(other.sets(kPfrnConfig), 0u);
  for (const std::uint32_t s : other.adaptive())
    EXPECT_EQ(other.model(s).info.more_enabled & Info::kPfrnEnabled, 0);
}

TEST(PersistentNotifications, HaveTheDragonflyPlusPolicyOnADragonflyPlus) {
  SetSubnet managed(AdaptiveSwitches::kAnswered, "ar_dfp",
                    "dragonflyplus:leaves=2,spines=2,h=2,hosts=2");
  managed.start();
  ASSERT_TRUE(managed.settle());
  ASSERT_FALSE(managed.adaptive().empty());
  std::size_t selecting = 0;
  for (const std::uint32_t s : managed.adaptive())
    if (managed.model(s).pfrn.selects_policy) {
      EXPECT_EQ(managed.model(s).pfrn.policy, PfrnConfig::kDragonflyPlus);
      ++selecting;
    }
  EXPECT_GT(selecting, 0u);
}

TEST(PersistentNotifications, AnAnswerWithAnotherTimeIsNotConfirmed) {
  const PfrnConfig wanted{.sl = 1, .policy = 1, .force_clear_s = 720, .clear_s = 180};
  PfrnConfig held = wanted;
  const auto confirms = [&] {
    return confirms_setting(ArStep::kPfrn, encode(wanted), encode(held));
  };
  EXPECT_TRUE(confirms());
  held.policy = 0;
  EXPECT_TRUE(confirms())
      << "a switch that does not select the policy may answer with another policy";
  held.selects_policy = true;
  EXPECT_FALSE(confirms());
  held.policy = 1;
  EXPECT_TRUE(confirms());
  held.clear_s = 181;
  EXPECT_FALSE(confirms());
}

}  // namespace
}  // namespace weft
