// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which switches send, forward and consume fault routing notifications about an unreachable LID.
#include "routing/adaptive/notifications.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "routing/engine.h"
#include "support/fabrics.h"
#include "support/spec_name.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

Routes notifying_routes(const Fabric& fabric, std::string_view engine = "ar_updn",
                        std::vector<std::uint8_t> notifies = {}) {
  RoutingOptions options;
  options.adaptive = AdaptiveOptions{};
  options.adaptive->notifies = std::move(notifies);
  options.adaptive->notifies.resize(fabric.switch_count(), 1);
  auto routes = run_engine(*find_engine(engine), fabric, options);
  CHECK(routes.has_value());
  return std::move(*routes);
}

//   S4   S5      S0 to S3 are leaves with a host each; S4 and S5 are the spines
//  / | X | \     (two cables from S0 to S4)
// S0 S1 S2 S3
Fabric tree() {
  Tiny tiny(6);
  tiny.link(0, 4, 2).link(0, 5);
  for (unsigned leaf = 1; leaf < 4; ++leaf) tiny.link(leaf, 4).link(leaf, 5);
  for (unsigned leaf = 0; leaf < 4; ++leaf) tiny.hosts(leaf);
  return tiny.build();
}

Lid lid_of_host_on(const Fabric& fabric, std::uint32_t sw) {
  return fabric.endport(fabric.endports_at(SwitchId(sw))[0]).lid;
}

TEST(Notifications, InATreeSpinesNotifyLostDownPortsAndLeavesConsume) {
  const Fabric fabric = tree();
  const Routes routes = notifying_routes(fabric);
  ASSERT_TRUE(routes.adaptive->has_notifications());
  const Lid far = lid_of_host_on(fabric, 3);
  const SwitchNotifications& spine = *routes.adaptive->notifications(SwitchId(4));
  const SwitchNotifications& leaf = *routes.adaptive->notifications(SwitchId(0));
  EXPECT_EQ(spine.ports.count(), 5u) << "every leaf forwards some LIDs to the spine";
  const PortMask* down = routes.adaptive->group_of(SwitchId(4), far);
  ASSERT_NE(down, nullptr)
      << "a group of one port, so that the spine can notify the loss of the port";
  EXPECT_EQ(down->count(), 1u);
  EXPECT_EQ(spine.directions[routes.adaptive->entry(SwitchId(4), far).group], kRnToOne);
  EXPECT_EQ(leaf.directions[routes.adaptive->entry(SwitchId(0), far).group], kRnToSeveral);
  EXPECT_EQ(leaf.decision(rn_string(kRnToOne)).decision, RnDecision::kConsume);
  EXPECT_EQ(leaf.decision(rn_string(kRnToSeveral)).decision, RnDecision::kDiscard)
      << "no leaf forwards over another leaf";
  EXPECT_EQ(spine.decision(rn_string(kRnToSeveral)).decision, RnDecision::kDiscard)
      << "switches above discard notifications about the up ports of a leaf";
  EXPECT_TRUE(leaf.ports.none()) << "no switch forwards to other switches over a leaf";
  EXPECT_EQ(notification_role(routes, SwitchId(4), far), (NotificationRole{true, false, false}));
  EXPECT_EQ(notification_role(routes, SwitchId(0), far), (NotificationRole{false, true, false}));
  // Both cables to S0 belong to one AR group, which has one direction string.
  const Lid doubled = lid_of_host_on(fabric, 0);
  EXPECT_EQ(routes.adaptive->group_of(SwitchId(4), doubled)->count(), 2u);
  EXPECT_EQ(spine.directions[routes.adaptive->entry(SwitchId(4), doubled).group], kRnToOne);
  EXPECT_TRUE(verify(fabric, routes).ok());
}

TEST(Notifications, ASwitchWithAStaticEntryForwardsNotifications) {
  // A line S0 - S1 - S2. S0 supports no AR groups, so its entry for the host of S2 is static.
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2, 2).hosts(0).hosts(1).hosts(2).build();
  RoutingOptions options;
  options.adaptive = AdaptiveOptions{.group_capacity = {8, 8, 8}, .notifies = {1, 1, 1}};
  options.adaptive->group_capacity[0] = 0;
  const auto routes = run_engine(*find_engine("ar_updn"), fabric, options);
  ASSERT_TRUE(routes.has_value());
  const Lid far = lid_of_host_on(fabric, 2);
  EXPECT_EQ(routes->adaptive->group_of(SwitchId(0), far), nullptr);
  EXPECT_EQ(notification_role(*routes, SwitchId(0), far), (NotificationRole{false, false, true}));
  const auto decision = routes->adaptive->notifications(SwitchId(0))->decision(rn_string(kRnToOne));
  EXPECT_EQ(decision.decision, RnDecision::kPassOn);
  EXPECT_EQ(decision.string, kRnForwarded);
}

TEST(Notifications, ASwitchWithoutFrnNeitherSendsNorReceives) {
  const Fabric fabric = tree();
  const Routes routes = notifying_routes(fabric, "ar_updn", {0});
  EXPECT_EQ(routes.adaptive->notifications(SwitchId(0)), nullptr);
  EXPECT_EQ(routes.adaptive->notifications(SwitchId(4))->ports.count(), 3u);
  for (const PortMask& group : routes.adaptive->groups(SwitchId(0)))
    EXPECT_GE(group.count(), 2u) << "an AR group has at least two ports";
  RoutingOptions options;
  options.adaptive = AdaptiveOptions{};
  const auto without = run_engine(*find_engine("ar_updn"), fabric, options);
  EXPECT_FALSE(without->adaptive->has_notifications());
}

TEST(Notifications, GroupsOfOnePortAreOmittedWhenTheGroupTableIsFull) {
  const Fabric fabric = tree();
  RoutingOptions options;
  options.adaptive = AdaptiveOptions{.group_capacity = {1, 1, 1, 1, 1, 1}, .notifies = {}};
  options.adaptive->notifies.assign(6, 1);
  const auto routes = run_engine(*find_engine("ar_updn"), fabric, options);
  ASSERT_EQ(routes->adaptive->groups(SwitchId(4)).size(), 1u);
  EXPECT_EQ(routes->adaptive->groups(SwitchId(4))[0].count(), 2u);
}

class NotifyingEngines : public testing::TestWithParam<const char*> {};

// AR groups of one port change no route. Every group has a direction for notifications.
TEST_P(NotifyingEngines, KeepRoutesAndAssignADirectionToEveryGroup) {
  const Fabric fabric = fabric_of(GetParam(), 0);
  for (const char* engine : {"ar_updn", "ar_ftree", "ar_dfp", "ar_dor"}) {
    RoutingOptions options;
    options.adaptive = AdaptiveOptions{};
    const auto plain = run_engine(*find_engine(engine), fabric, options);
    if (!plain) continue;
    options.adaptive->notifies.assign(fabric.switch_count(), 1);
    options.threads = 1;
    const auto routes = run_engine(*find_engine(engine), fabric, options);
    ASSERT_TRUE(routes.has_value());
    options.threads = 4;
    ASSERT_EQ(*run_engine(*find_engine(engine), fabric, options), *routes) << engine;
    ASSERT_EQ(routes->lfts, plain->lfts) << engine;
    for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) {
      const SwitchId sw(s);
      const SwitchNotifications* of_switch = routes->adaptive->notifications(sw);
      ASSERT_NE(of_switch, nullptr);
      ASSERT_EQ(of_switch->directions.size(), routes->adaptive->groups(sw).size());
      for (const std::uint8_t direction : of_switch->directions)
        ASSERT_LT(direction, kRnDirections);
      for_each_lid(fabric, [&](const Endport&, Lid lid) {
        const PortMask* with = routes->adaptive->group_of(sw, lid);
        const PortMask* without = plain->adaptive->group_of(sw, lid);
        if (without != nullptr) {
          ASSERT_NE(with, nullptr);
          ASSERT_EQ(*with, *without);
        } else if (with != nullptr) {
          ASSERT_EQ(with->count(), 1u);
          ASSERT_TRUE(with->test(routes->lfts.port(sw, lid).value()));
        }
      });
    }
    const Verdict verdict = verify(fabric, *routes), before = verify(fabric, *plain);
    ASSERT_EQ(verdict.ca_to_ca.arrived, before.ca_to_ca.arrived) << engine;
    ASSERT_EQ(verdict.dependencies, before.dependencies) << engine;
  }
}

INSTANTIATE_TEST_SUITE_P(Small, NotifyingEngines, testing::ValuesIn(kSmallSpecs), spec_name);

}  // namespace
}  // namespace weft
