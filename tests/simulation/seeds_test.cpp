// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Seeds for every change: a fixed set, and seeds of former failures. Also tests failovers, the
// coverage of plans, and reproducibility.
#include <gtest/gtest.h>

#include "base/log.h"
#include "failovers.h"
#include "support/full_size.h"
#include "world.h"

namespace weft::simulation {
namespace {

class Seeds : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override { spdlog::set_level(spdlog::level::off); }
};

TEST_P(Seeds, RunHasNoFailure) {
  const WorldPlan plan = draw(GetParam());
  const Outcome outcome = run(plan);
  EXPECT_EQ(outcome.failure, "") << describe(plan) << "command: simulation --seed " << plan.seed;
}

// Seed 22: a manager that became master again kept its GUID of a virtual port that another master
// had activated with a new GUID.
INSTANTIATE_TEST_SUITE_P(Fixed, Seeds, ::testing::Range<std::uint64_t>(1, 25));

/// The seeds in the campaign, none in the gate: former failures that take seconds.
std::vector<std::uint64_t> in_campaign(std::vector<std::uint64_t> seeds) {
  return at_full_size() ? std::move(seeds) : std::vector<std::uint64_t>{};
}

class UniformSeeds : public Seeds {};

TEST_P(UniformSeeds, RunHasNoFailure) {
  WorldPlan plan = draw(GetParam());
  make_uniform(plan);
  const Outcome outcome = run(plan);
  EXPECT_EQ(outcome.failure, "") << describe(plan) << "command: simulation --uniform --seed "
                                 << plan.seed;
}

// Former failures with planes. A pair of hosts without a plane in common counted as a fault while a
// manager did not know all links. Replication was expected from one plane to another. A reset host
// and another host had the same virtual port.
INSTANTIATE_TEST_SUITE_P(OnceFailedWithPlanes, Seeds,
                         ::testing::Values(900000089, 900000094, 900000097));

// Former failures with adaptive routing.
// 45001921: after a GeneralInfo was lost, the manager no longer queried switches of that kind, and
// they kept the adaptive routing of an earlier manager. 46500039: with dfp2 each plan of multicast
// used the next VL.
INSTANTIATE_TEST_SUITE_P(OnceFailedWithAdaptiveRouting, Seeds,
                         ::testing::Values(45001921, 46500039));

class MixedSeeds : public Seeds {};

TEST_P(MixedSeeds, RunHasNoFailure) {
  WorldPlan plan = draw(GetParam());
  remove_features(plan);
  const Outcome outcome = run(plan);
  EXPECT_EQ(outcome.failure, "") << describe(plan);
}

// Former failures with mixed devices.
// 500082: a manager that had read its own GUID corrupted was ignored by the other managers, and
// stayed a second master. 511148: a port with a GUID that was read corrupted got the M_Key of
// the corrupted GUID. 721602: a switch without SMSupportExtendedSpeeds that did not answer once was
// missing from all later sweeps. 740335: the trap 144 of a master that had been disconnected was
// ignored. 11010981: the corrupted protection level of an M_Key was written back to a port with a
// GUID that was read corrupted.
INSTANTIATE_TEST_SUITE_P(OnceFailedWithMixedDevices, MixedSeeds,
                         ::testing::Values(500082, 511148, 270001075, 270001193, 270002879, 721602,
                                           740335, 11010981));
INSTANTIATE_TEST_SUITE_P(LongOnceFailedWithMixedDevices, MixedSeeds,
                         ::testing::ValuesIn(in_campaign({270001102, 270003263, 810001021})));

/// Former failures with devices of one kind.
///   4086: a master that had been disconnected got a HANDOVER, and used stale cached tables
///       that the other master had overwritten meanwhile
///   5073: the manager's own port stayed in INIT when its leaf rebooted between two light sweeps
///   1795345773102039026: a corrupted M_Key was written back with other settings, and was
///       unknown afterwards
///   50000219: a switch was read and programmed under a corrupted GUID, and its old tables
///       stayed in the cache
///   50000065, 60000326: corrupted tables stayed in the cache even after SIGHUP
///   50000876: while the disk was full a switch returned without M_Key, and got no M_Key later
///   1795358107099110242: two managers were master, because the manager of lower priority had run
///       discovery while the other manager did not answer
///   120004066: of two ports with one LID the first in order kept the LID, not the port to which
///       the manager had assigned the LID
///   160001607: a switch that had not answered was queried with the last M_Key tried, a wrong key
///       from a damaged file, and was not discovered again
///   170009914: a port without an M_Key got a corrupted M_Key
///   190017269: multicast tables of groups unknown to a new manager stayed in a switch
///   240003315: a trap from before a restarted discovery caused one more sweep
///   190025926: the LIDs that a new master adopted were not in its file
INSTANTIATE_TEST_SUITE_P(OnceFailed, UniformSeeds,
                         ::testing::Values(4086, 5073, 1795345773102039026ULL, 50000219, 50000065,
                                           60000326, 50000876, 1795358107099110242ULL, 160001607,
                                           170009914, 190017269, 190025926));
INSTANTIATE_TEST_SUITE_P(LongOnceFailed, UniformSeeds,
                         ::testing::ValuesIn(in_campaign({120004066, 240003315})));

class ReplicatedSeeds : public Seeds {};

TEST_P(ReplicatedSeeds, RunHasNoFailure) {
  const WorldPlan plan = draw_replicated(GetParam());
  const Outcome outcome = run(plan);
  EXPECT_EQ(outcome.failure, "") << describe(plan) << "command: simulation --replicated --seed "
                                 << plan.seed;
}

INSTANTIATE_TEST_SUITE_P(Fixed, ReplicatedSeeds, ::testing::Range<std::uint64_t>(1, 7));

TEST(World, RunsWithReplicationAreReproducible) {
  spdlog::set_level(spdlog::level::off);
  const Outcome once = run(draw_replicated(3)), again = run(draw_replicated(3));
  EXPECT_EQ(once.fingerprint, again.fingerprint);
  EXPECT_EQ(once.coverage, again.coverage);
}

FailoverPlan small_failovers(unsigned kills) {
  FailoverPlan plan{.seed = 1, .kills = kills, .spec = "fattree2:k=4"};
  plan.groups = plan.services = 20;
  plan.subscriptions = 60;
  return plan;
}

/// After kill -9 of the master the standby has all acknowledged registrations.
TEST(Failovers, StandbyHasAllAcknowledgedRegistrations) {
  spdlog::set_level(spdlog::level::off);
  const FailoverFigures figures = run_failovers(small_failovers(3));
  EXPECT_EQ(figures.failure, "");
  EXPECT_EQ(figures.kills, 3u);
  EXPECT_GT(figures.compared, 250u);
}

/// A manager of higher priority that starts without files becomes master once it has the replicated
/// state.
TEST(Failovers, ReturningMasterHasAllAcknowledgedRegistrations) {
  spdlog::set_level(spdlog::level::off);
  FailoverPlan plan = small_failovers(3);
  plan.returns = true;
  const FailoverFigures figures = run_failovers(plan);
  EXPECT_EQ(figures.failure, "");
  EXPECT_GT(figures.compared, 500u);
}

/// The comparison detects answers that do not wait for the standby.
TEST(Failovers, ComparisonFailsIfAnswersDoNotWaitForTheStandby) {
  spdlog::set_level(spdlog::level::off);
  FailoverPlan plan = small_failovers(200);
  plan.holds_answers = false;
  EXPECT_NE(run_failovers(plan).failure.find("acknowledged as"), std::string::npos);
}

TEST(World, RunsAreReproducible) {
  spdlog::set_level(spdlog::level::off);
  for (const std::uint64_t seed : {2u, 7u, 8u}) {
    const Outcome once = run(draw(seed)), again = run(draw(seed));
    EXPECT_EQ(once.fingerprint, again.fingerprint) << seed;
    EXPECT_EQ(once.mads, again.mads) << seed;
    EXPECT_EQ(once.coverage, again.coverage) << seed;
  }
}

TEST(World, ClientsReceiveAnswers) {
  spdlog::set_level(spdlog::level::off);
  WorldPlan plan = draw(2);
  plan.faults.clear();
  const Outcome outcome = run(plan);
  ASSERT_EQ(outcome.failure, "");
  for (const char* what : {"requests", "answers", "refusals", "reports", "tables"})
    EXPECT_TRUE(outcome.coverage.contains(fmt::format("client {}", what))) << what;
}

class PrivateSeeds : public Seeds {};

TEST_P(PrivateSeeds, RunHasNoFailure) {
  const WorldPlan plan = draw_private(GetParam());
  const Outcome outcome = run(plan);
  EXPECT_EQ(outcome.failure, "") << describe(plan) << "command: simulation --private --seed "
                                 << plan.seed;
  if (plan.all_private && outcome.coverage.contains("worlds with dfp2 at the end")) {
    EXPECT_TRUE(outcome.coverage.contains("switches with private tables at the end"));
  }
}

INSTANTIATE_TEST_SUITE_P(Fixed, PrivateSeeds, ::testing::Range<std::uint64_t>(1, 5));

class CurrentSeeds : public Seeds {};

TEST_P(CurrentSeeds, RunHasNoFailure) {
  const WorldPlan plan = draw_current(GetParam());
  const Outcome outcome = run(plan);
  EXPECT_EQ(outcome.failure, "") << describe(plan) << "command: simulation --current --seed "
                                 << plan.seed;
  EXPECT_EQ(outcome.coverage.contains("worlds with all keys and settings at the end"),
            plan.has_agents());
}

INSTANTIATE_TEST_SUITE_P(Fixed, CurrentSeeds, ::testing::Range<std::uint64_t>(1, 7));

// Former failure: adaptive routing was enabled although writes of plain tables had failed, and new
// AR entries at some switches formed a loop with old plain entries at others.
INSTANTIATE_TEST_SUITE_P(OnceFailed, CurrentSeeds, ::testing::Values(99000300));

TEST(World, PlansOfCurrentHardwareCoverOwnLidsKeysAndCongestionControl) {
  unsigned lids = 0, keys = 0, rotations = 0, ppcc = 0, dcqcn = 0, all = 0;
  unsigned planes = 0, fnm = 0, devices = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const WorldPlan plan = draw_current(seed);
    EXPECT_EQ(describe(plan), describe(draw_current(seed)));
    lids += plan.own_lids && plan.vports > 0 ? 1 : 0;
    keys += plan.class_keys ? 1 : 0;
    rotations += plan.class_keys && plan.key_period.count() > 0 ? 1 : 0;
    ppcc += plan.ppcc ? 1 : 0;
    dcqcn += plan.dcqcn ? 1 : 0;
    all += plan.all_agents ? 1 : 0;
    planes += plan.planes > 0 && plan.own_lids ? 1 : 0;
    fnm += plan.fnm ? 1 : 0;
    devices += !plan.devices.empty() && plan.has_agents() && plan.own_lids ? 1 : 0;
  }
  for (const unsigned count : {lids, keys, rotations, ppcc, dcqcn, all}) EXPECT_GE(count, 30u);
  EXPECT_GE(planes, 20u) << "planes together with virtual ports";
  EXPECT_GE(fnm, 10u) << "FNM rings";
  EXPECT_GE(devices, 10u) << "device profiles together with keys, congestion control or both";
}

TEST(World, ManagersUsePrivateTablesOnAllSwitches) {
  spdlog::set_level(spdlog::level::off);
  WorldPlan plan = draw(4);
  plan.spec = "dragonflyplus:leaves=3,spines=3,h=1,hosts=2";
  plan.planes = 0;
  plan.length = std::min(plan.length, 60 * kSecond);
  std::erase_if(plan.faults, [&](const Fault& fault) { return fault.at > plan.length; });
  use_private_tables(plan);
  plan.all_private = true;
  const Outcome outcome = run(plan);
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.coverage.at("switches with private tables at the end"), 24u);
}

TEST(World, PlansCoverPlanesAdaptiveRoutingAndVirtualPorts) {
  unsigned planes = 0, adaptive = 0, vports = 0;
  for (std::uint64_t seed = 1; seed < 25; ++seed) {
    const WorldPlan plan = draw(seed);
    planes += plan.planes > 1 ? 1 : 0;
    adaptive += plan.adaptive ? 1 : 0;
    vports += plan.vports > 0 ? 1 : 0;
  }
  EXPECT_GE(planes, 2u);
  EXPECT_GE(adaptive, 5u);
  EXPECT_GE(vports, 5u);
}

TEST(World, PlansCoverEnginesSettingsAndDevices) {
  std::set<std::string> engines;
  unsigned sharp = 0, recovery = 0, devices = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const WorldPlan plan = draw(seed);
    engines.insert(plan.engine);
    sharp += plan.sharp ? 1 : 0;
    recovery += plan.recovery ? 1 : 0;
    devices += plan.devices.empty() ? 0 : 1;
  }
  for (const char* engine : {"ar_updn", "ar_minhop"}) EXPECT_TRUE(engines.contains(engine));
  EXPECT_GE(sharp, 10u);
  EXPECT_GE(recovery, 10u);
  EXPECT_GE(devices, 10u);
}

TEST(World, PlansCoverEveryFaultAndAreReproducible) {
  std::set<Kind> kinds;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const WorldPlan plan = draw(seed);
    EXPECT_EQ(describe(plan), describe(draw(seed)));
    for (const Fault& fault : plan.faults) kinds.insert(fault.kind);
    for (const Fault& fault : draw_replicated(seed).faults) kinds.insert(fault.kind);
  }
  EXPECT_EQ(kinds.size(), kKinds);
}

}  // namespace
}  // namespace weft::simulation
