// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The manager keeps the proof of the published routes, and verifies only the changes of new routes.
#include <gmock/gmock.h>

#include "routing/updn.h"
#include "support/managed_subnet.h"

namespace weft {
namespace {

using testing::HasSubstr;

/// If true, the next routes deliver packets for `first` to a wrong host, at the last host's switch,
/// which has no cut cable.
bool damages = false;

Result<Routes> run_damaging(const Fabric& fabric, const RoutingOptions& options) {
  auto routes = route_updn(fabric, options);
  if (!routes) return routes;
  routes->engine = "damaging";
  const Endport& last = fabric.endports().back();
  const EndportId first(fabric.switch_count());  // a host in another pod
  if (damages) routes->lfts.set(last.sw, fabric.endport(first).lid, last.sw_port);
  return routes;
}

constexpr Engine kDamaging{"damaging", "", &run_damaging};
const Engine* find_damaging(std::string_view name) {
  return name == kDamaging.name ? &kDamaging : nullptr;
}

class KeptProof : public testing::Test {
 protected:
  KeptProof() {
    damages = false;
    managed.options.rebalance = false;
    managed.options.routing_engine = {{"updn"}, false};
    managed.options.sweep_interval = std::chrono::seconds(10);
  }
  void start() {
    managed.start();
    ASSERT_TRUE(managed.settle());
    EXPECT_FALSE(managed.report().verified_changes_only);
    expect_managed(managed);
  }
  /// The port of the first switch on its n-th cable to another switch.
  PortId cable(std::size_t n) const {
    const Fabric& fabric = managed.fabric();
    return fabric.port_id(Fabric::node_of(kS0), fabric.channels_from(kS0)[n].from_port);
  }
  void cut(std::size_t n) {
    managed.emulated().cut_cable(cable(n));
    run_sweeps();
  }
  void restore(std::size_t n) {
    managed.emulated().restore_cable(cable(n));
    run_sweeps();
  }
  /// Runs several sweeps; sweeps without changes reuse the routes. Sets only_changes if a sweep
  /// verified only changes.
  void run_sweeps() {
    only_changes = false;
    for (int i = 0; i < 30'000; ++i) {
      managed.run_for(std::chrono::milliseconds(1));
      only_changes = only_changes || managed.report().verified_changes_only;
    }
    ASSERT_TRUE(managed.settle());
  }
  void change_options() {
    managed.sm().set_options(managed.options);
    managed.sm().request_heavy_sweep("test");
    run_sweeps();
  }
  /// Expects that the published verdict is PASS, and equals that of a complete verification, except
  /// for multicast groups.
  void expect_true_verdict() {
    const auto snapshot = managed.sm().snapshot();
    const bool ignores = managed.options.routing.plain.ignore_replies;
    Verdict whole = verify(snapshot->fabric, snapshot->routes, {.ignore_replies = ignores});
    Verdict published = snapshot->verdict;
    whole.multicast = published.multicast = {};  // the members of groups are not compared
    EXPECT_TRUE(published == whole);
    EXPECT_TRUE(published.ok());
  }
  ManagedSubnet managed{fabric_of("fattree3:k=4")};
  bool only_changes = false;  // some sweep verified only changes
};

TEST_F(KeptProof, VerifiesOnlyTheChangesOfACutCable) {
  start();
  for (int i = 0; i < 2; ++i) {
    cut(0);
    EXPECT_TRUE(only_changes);
    expect_managed(managed);
    expect_true_verdict();
    // Some entries for LIDs of switches, which no CA uses, lead to entries without a route.
    restore(0);
    EXPECT_TRUE(only_changes);
    expect_managed(managed);
    expect_true_verdict();
  }
}

TEST_F(KeptProof, EqualsTheVerdictOfACompleteVerification) {
  managed.options.compare_verifications = true;
  start();
  cut(1);
  EXPECT_TRUE(only_changes);
  EXPECT_EQ(managed.report().verification_difference, "");
  expect_true_verdict();
}

TEST_F(KeptProof, DetectsADamagedTableOfAnUnchangedSwitch) {
  managed.options.routing_engine = {{"damaging"}, false};
  managed.options.find_engine = &find_damaging;
  for (const bool compares : {false, true}) {
    damages = false;
    managed.options.compare_verifications = compares;
    start();
    const auto before = managed.sm().snapshot();
    damages = true;
    cut(0);
    EXPECT_THAT(managed.report().error, HasSubstr("its routes were rejected"));
    EXPECT_EQ(managed.report().verification_difference, "");
    EXPECT_TRUE(managed.sm().snapshot() == before);
    damages = false;
    restore(0);
    EXPECT_TRUE(managed.report().up);
    expect_managed(managed);
  }
}

TEST_F(KeptProof, CoversChangedMulticastGroups) {
  start();
  const Fabric& fabric = managed.fabric();
  FiledGroup group{Lid(0xC001), {}, {}, {}};
  for (const Endport& endport : fabric.endports())
    if (!fabric.is_switch(endport.node)) group.members.push_back(fabric.port(endport.port).guid);
  managed.sm().set_multicast_groups({group});
  run_sweeps();
  EXPECT_EQ(managed.sm().snapshot()->verdict.multicast.groups, 1u);
  EXPECT_TRUE(managed.sm().snapshot()->verdict.multicast_ok());
  EXPECT_TRUE(only_changes);
  expect_true_verdict();
}

TEST_F(KeptProof, IsNotUsedWithAnotherOptionForReplies) {
  start();
  managed.options.routing.plain.ignore_replies = true;
  change_options();
  EXPECT_FALSE(only_changes);
  expect_true_verdict();
  cut(0);
  EXPECT_TRUE(only_changes);
}

TEST_F(KeptProof, IsDiscardedWithoutVerification) {
  start();
  managed.options.verify = VerifyMode::kOff;
  change_options();
  cut(0);
  managed.options.verify = VerifyMode::kEnforce;
  change_options();
  EXPECT_FALSE(only_changes);
  restore(0);
  cut(1);
  EXPECT_TRUE(only_changes);
}

}  // namespace
}  // namespace weft
