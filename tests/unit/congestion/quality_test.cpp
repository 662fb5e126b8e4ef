// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Quality figures on fabrics for which the figures can be computed by hand, and properties of the
// figures on small fabrics of many generators.

#include "congestion/quality/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "congestion/metrics.h"
#include "congestion/quality/objective.h"
#include "routing/minhop.h"
#include "routing/topology.h"
#include "routing/updn.h"
#include "support/fabric_of.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "unit/congestion/networks.h"

namespace weft {
namespace {

Routes minhop(const Fabric& fabric) {
  auto routes = route_minhop(fabric, {});
  CHECK(routes.has_value());
  return std::move(*routes);
}

// Eight hosts on one switch: no link between switches limits the hosts.
TEST(Quality, StarHasFullBandwidthAndNoLinkLoad) {
  const Fabric fabric = Tiny(1).hosts(0, 8).build();
  const Quality quality = assess(fabric, minhop(fabric));
  EXPECT_EQ(quality.hops_max, 1u);
  EXPECT_EQ(quality.hops_mean, 1.0);
  EXPECT_EQ(quality.link_load_max, 0u);
  EXPECT_EQ(quality.link_load_mean, 0.0);
  EXPECT_DOUBLE_EQ(quality.ebb, 1.0);
  EXPECT_DOUBLE_EQ(quality.kept[2], 1.0) << "no path has a cable between switches";
}

// A line S0 - S1 - S2 with a host on each switch: each of the four channels carries two paths.
TEST(Quality, CountsThePathsOverEachChannelOfALine) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(1).hosts(2).build();
  const Quality quality = assess(fabric, minhop(fabric));
  EXPECT_EQ(quality.hops_max, 3u);
  EXPECT_DOUBLE_EQ(quality.hops_mean, (4 * 2 + 2 * 3) / 6.0);
  EXPECT_EQ(quality.nonminimal, 0u);
  EXPECT_EQ(quality.link_load_max, 2u);
  EXPECT_DOUBLE_EQ(quality.link_load_mean, 2.0);
  EXPECT_DOUBLE_EQ(quality.link_load_sd, 0.0);
  // Four of six paths have one of the two cables, two have both.
  EXPECT_DOUBLE_EQ(quality.kept[0], 4 / 6.0 / 2);
  EXPECT_EQ(quality.kept[1], 0);
  EXPECT_EQ(quality.kept[2], 0);
}

// Two leaves with two hosts each under two spines: every matching has full bandwidth.
TEST(Quality, NonBlockingTreeHasFullBandwidth) {
  const Fabric fabric =
      Tiny(4).link(0, 2).link(0, 3).link(1, 2).link(1, 3).hosts(0, 2).hosts(1, 2).build();
  const Quality quality = assess(fabric, minhop(fabric));
  EXPECT_EQ(quality.hops_max, 3u);
  EXPECT_DOUBLE_EQ(quality.hops_mean, (4 * 1 + 8 * 3) / 12.0);
  EXPECT_EQ(quality.link_load_max, 2u);
  EXPECT_DOUBLE_EQ(quality.link_load_mean, 2.0);
  EXPECT_DOUBLE_EQ(quality.ebb, 1.0);
}

// Two leaves with two hosts each under one spine. One third of all matchings sends two flows over
// the same cable, each with half of its rate. The mean is 5/6.
TEST(Quality, TaperedTreeHasFiveSixthsOfTheBandwidth) {
  const Fabric fabric = Tiny(3).link(0, 2).link(1, 2).hosts(0, 2).hosts(1, 2).build();
  const Quality quality = assess(fabric, minhop(fabric), {.matchings = 20'000});
  EXPECT_EQ(quality.link_load_max, 4u);
  EXPECT_NEAR(quality.ebb, 5.0 / 6.0, 0.008);
}

// Shifts by 1 and 3 put one flow on each direction of a cable; the shift by 2 puts two flows on it.
TEST(Quality, MeasuresShiftsAndPermutationsOfATaperedTree) {
  const Fabric fabric = Tiny(3).link(0, 2).link(1, 2).hosts(0, 2).hosts(1, 2).build();
  const Quality none = assess(fabric, minhop(fabric));
  EXPECT_FALSE(none.shifts);
  EXPECT_FALSE(none.permutation_flows);
  const Quality quality = assess(fabric, minhop(fabric), {.shifts = true, .permutations = true});
  EXPECT_DOUBLE_EQ(quality.alltoall, 3.0 / 4);
  ASSERT_TRUE(quality.shifts);
  EXPECT_EQ(quality.shifts->measured, 3u);
  EXPECT_DOUBLE_EQ(quality.shifts->mean, (1 + 0.5 + 1) / 3);
  EXPECT_DOUBLE_EQ(quality.shifts->worst, 0.5);
  EXPECT_EQ(quality.shifts->worst_distance, 2u);
  EXPECT_EQ(quality.permutation_flows, 2u);
}

// Nine groups of eight hosts. All eight flows of a group to another one share the cable between
// both. Six evenly spaced distances contain no multiple of eight.
TEST(Quality, SampledShiftsIncludeShiftsBetweenGroups) {
  const Fabric fabric = fabric_of("dragonfly:a=4,h=2,p=2");
  const Routes routes = minhop(fabric);
  std::vector<std::uint32_t> groups;
  for (std::uint32_t s = 0; s < fabric.switch_count(); ++s) groups.push_back(s / 4);
  const auto shifts = [&](std::uint64_t count, std::vector<std::uint32_t> by_switch) {
    const QualityOptions options{
        .shifts = true, .shift_flows = count * 72, .groups = std::move(by_switch)};
    return assess(fabric, routes, options).shifts.value();
  };
  const ShiftQuality even = shifts(6, {});
  const ShiftQuality with_groups = shifts(8, groups);
  EXPECT_EQ(even.measured, 6u);
  EXPECT_EQ(with_groups.measured, 8u) << "a quarter of the distances are between groups";
  EXPECT_EQ(with_groups.worst_distance % 8, 0u);
  EXPECT_LT(with_groups.worst, even.worst);
  EXPECT_DOUBLE_EQ(with_groups.mean, even.mean) << "of evenly spaced distances only";
  EXPECT_EQ(shifts(71, groups).measured, 71u) << "all distances, each once";
}

// The paths to the two LIDs of a host use different spines. So after one failure, pairs on
// different leaves keep one of two paths.
TEST(Quality, AllLidsHaveTwoDisjointPathsOverTwoSpines) {
  const Fabric fabric = two_by_two(2, 1);
  const Routes routes = minhop(fabric);
  EXPECT_FALSE(assess(fabric, routes).lid_paths);
  const auto paths = assess(fabric, routes, {.lid_paths = true}).lid_paths;
  ASSERT_TRUE(paths);
  EXPECT_EQ(paths->lids, 2u);
  // Four pairs have paths over a channel, each with one of its two paths.
  EXPECT_DOUBLE_EQ(paths->link_load_max, 2.0);
  EXPECT_DOUBLE_EQ(paths->disjoint_mean, 2.0);
  EXPECT_EQ(paths->disjoint_min, 2u);
  EXPECT_THAT(paths->kept, testing::ElementsAre(1.0, 0.0, 0.0));
  EXPECT_FALSE(assess(two_by_two(2), minhop(two_by_two(2)), {.lid_paths = true}).lid_paths);
}

// With one spine both paths of a pair are the same, and both fail together. Without entries for the
// second LIDs, the load of a cable is one half.
TEST(Quality, CountsSharedAndMissingPathsOfAllLids) {
  const Fabric fabric = Tiny(3).link(0, 2).link(1, 2).hosts(0).hosts(1).build(1);
  Routes routes = minhop(fabric);
  auto paths = assess(fabric, routes, {.lid_paths = true}).lid_paths;
  ASSERT_TRUE(paths);
  EXPECT_DOUBLE_EQ(paths->link_load_max, 1.0);
  EXPECT_DOUBLE_EQ(paths->disjoint_mean, 1.0);
  EXPECT_THAT(paths->kept, testing::ElementsAre(0.0, 0.0, 0.0));
  for (const EndportId host : fabric.hosts()) {
    const Lid second(static_cast<std::uint16_t>(fabric.endport(host).lid.value() + 1));
    routes.lfts.set(SwitchId(2), second, kNoRoute);
  }
  paths = assess(fabric, routes, {.lid_paths = true}).lid_paths;
  EXPECT_DOUBLE_EQ(paths->link_load_max, 0.5);
  EXPECT_EQ(paths->disjoint_min, 1u);
}

//  H0 - S0 - S1 - S3 - S5 - H1
//         \     \     /
//          S2 - S4 --        and S1 - S4
// The path S0 S1 S4 S5 of the first LID shares a cable with each of the paths S0 S1 S3 S5 and
// S0 S2 S4 S5, which have no common cable.
TEST(Quality, FindsTheMostDisjointPathsInAnyOrderOfLids) {
  Tiny tiny(6, 16);
  tiny.link(0, 1).link(0, 2).link(1, 3).link(1, 4).link(2, 4).link(3, 5).link(4, 5);
  const Fabric fabric = tiny.hosts(0).hosts(5).build(2);
  Routes routes = minhop(fabric);
  const Endport& to = fabric.endport(host_at(fabric, SwitchId(5), 0));
  const auto lead = [&](unsigned offset,
                        std::initializer_list<std::pair<unsigned, unsigned>> hops) {
    const Lid lid(static_cast<std::uint16_t>(to.lid.value() + offset));
    for (const auto& [sw, port] : hops)
      routes.lfts.set(SwitchId(sw), lid, PortNum(static_cast<std::uint8_t>(port)));
  };
  lead(0, {{0, 1}, {1, 3}, {4, 3}});
  lead(1, {{0, 1}, {1, 2}, {3, 2}});
  lead(2, {{0, 2}, {2, 2}, {4, 3}});
  lead(3, {{0, 1}, {1, 3}, {4, 3}});
  // All packets to the other host have one path.
  const Endport& back = fabric.endport(host_at(fabric, SwitchId(0), 0));
  for (unsigned offset = 1; offset < 4; ++offset)
    for (std::uint32_t s = 0; s < 6; ++s)
      routes.lfts.set(SwitchId(s), Lid(static_cast<std::uint16_t>(back.lid.value() + offset)),
                      routes.lfts.port(SwitchId(s), back.lid));
  const auto paths = assess(fabric, routes, {.lid_paths = true}).lid_paths;
  ASSERT_TRUE(paths);
  EXPECT_DOUBLE_EQ(paths->disjoint_mean, 1.5) << "two paths in one direction, one in the other";
  EXPECT_EQ(paths->disjoint_min, 1u);
  EXPECT_THAT(paths->kept, testing::ElementsAre(0.5, 0.0, 0.0));
}

void set_rate(Tiny& tiny, unsigned sw, unsigned port, LinkWidth width, LinkSpeed speed) {
  FabricBuilder::PortSpec spec;
  spec.width = width;
  spec.speed = speed;
  EXPECT_TRUE(tiny.builder().describe_port(sw, PortNum(static_cast<std::uint8_t>(port)), spec));
}

/// Quality of the tree with one spine, with the given rates of the cables between switches. Hosts
/// have 4xSDR.
Quality with_trunks(LinkWidth first, LinkWidth second, LinkSpeed speed, unsigned lmc = 0) {
  Tiny tiny(3);
  tiny.link(0, 2).link(1, 2).hosts(0, 2).hosts(1, 2);
  set_rate(tiny, 0, 1, first, speed);
  set_rate(tiny, 2, 1, first, speed);
  set_rate(tiny, 1, 1, second, speed);
  set_rate(tiny, 2, 2, second, speed);
  const Fabric fabric = tiny.build(static_cast<std::uint8_t>(lmc));
  return assess(fabric, minhop(fabric), with_patterns({}, group_by_switch(fabric)));
}

TEST(Quality, WeighsWorstPermutationAndAllLidsByLinkRates) {
  const Quality equal = with_trunks(LinkWidth::k4x, LinkWidth::k4x, LinkSpeed::kSdr, 1);
  EXPECT_EQ(equal.permutation_flows, 2u);
  EXPECT_EQ(equal.timed_permutation_flows, 2.0);
  ASSERT_TRUE(equal.lid_paths);
  EXPECT_DOUBLE_EQ(equal.lid_paths->link_load_max, 4);
  EXPECT_DOUBLE_EQ(equal.lid_paths->timed_load_max, 4);
  const Quality slower = with_trunks(LinkWidth::k1x, LinkWidth::k4x, LinkSpeed::kSdr, 1);
  EXPECT_EQ(slower.permutation_flows, 2u);
  EXPECT_EQ(slower.timed_permutation_flows, 8.0);
  ASSERT_TRUE(slower.lid_paths);
  EXPECT_DOUBLE_EQ(slower.lid_paths->link_load_max, 4);
  EXPECT_DOUBLE_EQ(slower.lid_paths->timed_load_max, 16);
}

TEST(Quality, WeighsLoadsByLinkRates) {
  const Quality faster = with_trunks(LinkWidth::k4x, LinkWidth::k4x, LinkSpeed::kDdr);
  EXPECT_EQ(faster.link_load_max, 4u);
  EXPECT_DOUBLE_EQ(faster.ebb, 1);
  EXPECT_DOUBLE_EQ(faster.alltoall, 1);
  EXPECT_DOUBLE_EQ(faster.shifts->worst, 1);
  // A flow over the 1x cable has a quarter of the rate of a host; two flows have an eighth each.
  const Quality slower = with_trunks(LinkWidth::k1x, LinkWidth::k4x, LinkSpeed::kSdr);
  EXPECT_DOUBLE_EQ(slower.alltoall, 3.0 / 4 / 4);
  EXPECT_DOUBLE_EQ(slower.shifts->worst, 1.0 / 8);
  EXPECT_DOUBLE_EQ(slower.shifts->mean, (2 * (1 + 0.25) / 2 + 0.125) / 3);
  // In one of three pairings both flows stay at their leaves. In the other two pairings, both flows
  // have the same direction (an eighth each) or opposite directions (a quarter each), equally
  // often.
  EXPECT_NEAR(slower.ebb, (1 + 2 * (0.125 + 0.25) / 2) / 3, 0.12);
}

TEST(Quality, MeasuresASlowHostRelativeToTheHostRate) {
  Tiny tiny(3);
  tiny.link(0, 2).link(1, 2).hosts(0).hosts(1);
  set_rate(tiny, 0, 2, LinkWidth::k1x, LinkSpeed::kSdr);
  const Fabric fabric = tiny.build();
  const Quality quality = assess(fabric, minhop(fabric), {.shifts = true});
  EXPECT_DOUBLE_EQ(quality.ebb, 1);
  EXPECT_DOUBLE_EQ(quality.alltoall, 1);
  EXPECT_DOUBLE_EQ(quality.shifts->worst, 1);
}

TEST(Quality, StatesTheStatisticalErrorOfTheBisectionBandwidth) {
  const Fabric fabric = Tiny(3).link(0, 2).link(1, 2).hosts(0, 2).hosts(1, 2).build();
  // A matching has two flows. Its bandwidth is 1/2 in one of three matchings, otherwise 1.
  const double deviation = 0.5 * std::sqrt(2.0 / 9);
  const Quality quality = assess(fabric, minhop(fabric), {.matchings = 10'000});
  EXPECT_NEAR(quality.ebb_error, 2.576 * deviation / 100, 0.02 * quality.ebb_error);
}

TEST(Quality, ValuesByDistanceHaveTheErrorOfTheSampledShifts) {
  const Fabric fabric = fabric_of("random:n=16,degree=3,hosts=2,seed=3");
  const Routes routes = minhop(fabric);
  const Quality all = assess(fabric, routes, {.shifts = true});
  EXPECT_EQ(all.shifts->unmeasured, 0);
  EXPECT_TRUE(values_by_distance(Objective::kBalanced, all).empty());
  const Quality sample = assess(fabric, routes, {.shifts = true, .shift_flows = 320});
  EXPECT_DOUBLE_EQ(sample.shifts->unmeasured, 1 - sample.shifts->measured / 31.0);
  EXPECT_TRUE(values_by_distance(Objective::kShift, sample).empty());
  EXPECT_TRUE(values_by_distance(Objective::kBisection, sample).empty());
  const auto values = values_by_distance(Objective::kBalanced, sample);
  ASSERT_EQ(values.size(), sample.shifts->measured);
  Quality one = sample;
  one.shifts->mean = sample.shifts->bandwidths[2];
  EXPECT_DOUBLE_EQ(values[2], value_of(Objective::kBalanced, one));
}

TEST(Quality, StatesTheStatisticalErrorOfASampleOfTheShifts) {
  const Fabric fabric = fabric_of("random:n=16,degree=3,hosts=2,seed=3");
  const Routes routes = minhop(fabric);
  const auto all = assess(fabric, routes, {.shifts = true}).shifts;
  ASSERT_TRUE(all);
  EXPECT_EQ(all->measured, 31u);
  EXPECT_EQ(all->error, 0);
  const auto sample = assess(fabric, routes, {.shifts = true, .shift_flows = 320}).shifts;
  ASSERT_TRUE(sample);
  ASSERT_LT(sample->measured, 31u);
  ASSERT_EQ(sample->distances.size(), sample->measured);
  for (std::size_t i = 0; i < sample->measured; ++i)
    EXPECT_EQ(sample->bandwidths[i], all->bandwidths[sample->distances[i] - 1]);
  EXPECT_GT(sample->error, 0);
  EXPECT_DOUBLE_EQ(sample->error,
                   statistics(sample->bandwidths).error99 * std::sqrt(1 - sample->measured / 31.0));
}

// S0 and S1 under four spines, with four LIDs for each host, have four disjoint paths. If two LIDs
// use the same spine, three failures can cut all paths of a pair.
TEST(Quality, CountsPairsThatAllLidsKeepConnectedAfterSeveralFailures) {
  Tiny tiny(6, 16);
  for (unsigned spine = 2; spine < 6; ++spine) tiny.link(0, spine).link(1, spine);
  const Fabric fabric = tiny.hosts(0).hosts(1).build(2);
  Routes routes = minhop(fabric);
  const auto kept = [&] { return assess(fabric, routes, {.lid_paths = true}).lid_paths->kept; };
  EXPECT_THAT(kept(), testing::ElementsAre(1.0, 1.0, 1.0));
  const Endport& host = fabric.endport(host_at(fabric, SwitchId(1), 0));
  const Lid second(static_cast<std::uint16_t>(host.lid.value() + 1));
  routes.lfts.set(SwitchId(0), second, routes.lfts.port(SwitchId(0), host.lid));
  EXPECT_THAT(kept(), testing::ElementsAre(1.0, 1.0, 0.5));
  routes.lfts.set(SwitchId(0), second, kNoRoute);
  EXPECT_THAT(kept(), testing::ElementsAre(1.0, 1.0, 0.5));
}

TEST(Quality, BandwidthsOfMatchingsHaveTheMeanOfTheBisection) {
  const Fabric fabric = Tiny(3).link(0, 2).link(1, 2).hosts(0, 2).hosts(1, 2).build();
  const Quality quality = assess(fabric, minhop(fabric), {.matchings = 50});
  ASSERT_EQ(quality.matchings.size(), 50u);
  EXPECT_NEAR(std::accumulate(quality.matchings.begin(), quality.matchings.end(), 0.0) / 50,
              quality.ebb, 1e-12);
  const auto values = values_by_matching(Objective::kBisection, quality);
  ASSERT_EQ(values.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(values[i], quality.matchings[i], 1e-12);
  EXPECT_TRUE(values_by_matching(Objective::kAllToAll, quality).empty());
}

// Two cables in a row; the slow cable has a quarter of the rate of the fast cable, so the four
// paths over the slow cable have a timed load of sixteen. The bound is exact: in an all-to-all a
// host can send at 3/16 of its rate.
TEST(Quality, TimedLoadsDependOnLinkRates) {
  Tiny tiny(3);
  tiny.link(0, 2).link(1, 2).hosts(0, 2).hosts(1, 2);
  set_rate(tiny, 0, 1, LinkWidth::k1x, LinkSpeed::kSdr);
  set_rate(tiny, 2, 1, LinkWidth::k1x, LinkSpeed::kSdr);
  const Fabric fabric = tiny.build();
  const Quality quality = assess(fabric, minhop(fabric), {.bound = true});
  EXPECT_EQ(quality.link_load_max, 4u);
  EXPECT_EQ(quality.link_load_bound, 4u);
  EXPECT_DOUBLE_EQ(quality.timed_load_max, 16);
  ASSERT_TRUE(quality.timed_load_bound && quality.alltoall_bound);
  EXPECT_NEAR(*quality.timed_load_bound, 16, 0.01);
  EXPECT_DOUBLE_EQ(quality.alltoall, 3.0 / 16);
  EXPECT_NEAR(*quality.alltoall_bound, 3.0 / 16, 0.001);
  EXPECT_GE(*quality.alltoall_bound, quality.alltoall);
}

TEST(Quality, ObjectivesHaveTheValuesOfTheMatchingFigures) {
  const Fabric fabric = Tiny(3).link(0, 2).link(1, 2).hosts(0, 2).hosts(1, 2).build();
  const auto value = [&](std::string_view name) {
    const Objective objective = objective_of(name);
    return value_of(objective, assess(fabric, minhop(fabric), for_objective(objective, {})));
  };
  const double ebb = assess(fabric, minhop(fabric)).ebb;
  EXPECT_DOUBLE_EQ(value("bisection"), ebb);
  EXPECT_DOUBLE_EQ(value("alltoall"), 0.75);
  EXPECT_DOUBLE_EQ(value("shift"), 0.5);
  EXPECT_DOUBLE_EQ(value("balanced"), std::cbrt(ebb * 0.75 * std::sqrt(2.5 / 3 * 0.5)));
}

TEST(Quality, BalancedObjectiveDependsOnTheWorstShift) {
  Quality good{.ebb = 0.6, .alltoall = 1};
  good.shifts = ShiftQuality{.measured = 9, .mean = 0.2, .worst = 0.1};
  Quality collapsed = good;
  collapsed.shifts->worst = 0.025;
  EXPECT_NEAR(value_of(Objective::kBalanced, collapsed),
              value_of(Objective::kBalanced, good) / std::cbrt(2), 1e-12);
  collapsed.shifts->worst = 0;
  EXPECT_EQ(value_of(Objective::kBalanced, collapsed), 0);
}

// A ring of five switches with up*/down* paths from one root. The paths between S2 and S4
// are longer than the shortest paths.
TEST(Quality, CountsNonminimalPaths) {
  Tiny tiny(5);
  for (unsigned i = 0; i < 5; ++i) tiny.link(i, (i + 1) % 5).hosts(i);
  const Fabric fabric = tiny.build();
  const auto routes = route_updn(fabric, RoutingOptions{.roots = {SwitchId(0)}});
  ASSERT_TRUE(routes);
  const auto graph = neighbors(fabric);
  std::uint64_t longer = 0;
  for_each_lid(fabric, [&](const Endport& to, Lid lid) {
    const auto hops = shortest_hops(graph, {to.sw.value()});
    for (std::uint32_t s = 0; s < 5 && !fabric.is_switch(to.node); ++s)
      if (walk(fabric, routes->lfts, s, to, lid)->size() - 1 > hops[s]) ++longer;
  });
  EXPECT_GT(longer, 0u);
  EXPECT_EQ(assess(fabric, *routes).nonminimal, longer);
}

TEST(Quality, SkipsUnreachablePairs) {
  const Fabric fabric = Tiny(3).link(0, 1).link(1, 2).hosts(0).hosts(1).hosts(2).build();
  Routes routes = minhop(fabric);
  const Lid far = fabric.endport(fabric.endports_at(SwitchId(2))[0]).lid;
  routes.lfts.set(SwitchId(0), far, kNoRoute);
  Quality quality = assess(fabric, routes);
  EXPECT_DOUBLE_EQ(quality.hops_mean, (4 * 2 + 1 * 3) / 5.0);
  EXPECT_DOUBLE_EQ(quality.link_load_mean, 6 / 4.0);
  routes.lfts.set(SwitchId(0), far, PortNum(1));
  routes.lfts.set(SwitchId(1), far, PortNum(1));  // to S0, so there is a loop
  quality = assess(fabric, routes);
  EXPECT_DOUBLE_EQ(quality.hops_mean, (3 * 2 + 1 * 3) / 4.0);
  EXPECT_LT(quality.ebb, 1.0);
}

TEST(Quality, IsZeroWithoutConnectedPairsOfHosts) {
  const Fabric none = Tiny(2).link(0, 1).build();
  EXPECT_EQ(assess(none, minhop(none)).hops_max, 0u);
  const Fabric one = Tiny(2).link(0, 1).hosts(0).build();
  EXPECT_EQ(assess(one, minhop(one)).ebb, 0.0);
  EXPECT_EQ(assess(Tiny(1).hosts(0, 2).build(), Routes{}).ebb, 0.0);
}

class QualityOfSpecs : public testing::TestWithParam<const char*> {};

/// Each path adds 1 to the load of every channel between switches that it uses: hops minus 1 in
/// all.
void expect_loads_sum_to_hops(const Fabric& fabric, const Quality& quality) {
  const double hosts = fabric.endport_count() - fabric.switch_count();
  EXPECT_NEAR(quality.link_load_mean * fabric.channel_count(),
              (quality.hops_mean - 1) * hosts * (hosts - 1), 1e-6 * hosts * hosts);
}

TEST_P(QualityOfSpecs, LoadsSumToHops) {
  const Fabric fabric = fabric_of(GetParam());
  const Quality quality = assess(fabric, minhop(fabric));
  expect_loads_sum_to_hops(fabric, quality);
  EXPECT_EQ(quality.nonminimal, 0u);
  EXPECT_GT(quality.ebb, 0.0);
  EXPECT_LE(quality.ebb, 1.0);
}

/// With up*/down* routes, some LIDs of a block may have paths that are longer than the shortest
/// paths.
TEST_P(QualityOfSpecs, LoadsSumToHopsOverLongerPaths) {
  const Fabric fabric = fabric_of(GetParam());
  const auto routes = route_updn(fabric, RoutingOptions{.roots = {SwitchId(0)}});
  ASSERT_TRUE(routes);
  expect_loads_sum_to_hops(fabric, assess(fabric, *routes));
}

TEST_P(QualityOfSpecs, IsEqualForAnyNumberOfThreadsWithEachSeed) {
  const Fabric fabric = fabric_of(GetParam());
  const Routes routes = minhop(fabric);
  for (const std::uint64_t seed : {0, 5}) {
    const Quality one = assess(fabric, routes, {.threads = 1, .seed = seed});
    for (const unsigned threads : {2u, 8u}) {
      const Quality many = assess(fabric, routes, {.threads = threads, .seed = seed});
      EXPECT_EQ(one.hops_mean, many.hops_mean);
      EXPECT_EQ(one.link_load_max, many.link_load_max);
      EXPECT_EQ(one.link_load_sd, many.link_load_sd);
      EXPECT_EQ(one.ebb, many.ebb);
    }
  }
}

/// Compares the figures with the simulator, for the pattern shift with hosts in the order of their
/// GUIDs.
TEST_P(QualityOfSpecs, ShiftsEqualTheSimulatedShifts) {
  const Fabric fabric = fabric_of(GetParam());
  const Routes routes = minhop(fabric);
  const auto network = network_of(fabric, routes.lfts);
  ASSERT_TRUE(network);
  StudySpec spec = study_of("shift");
  spec.shuffle = false;
  spec.subset.kind = Subset::kGuidAscending;
  std::vector<double> shifts;
  for (std::uint64_t level = 0; level + 1 < network->host_count(); ++level) {
    spec.level = level;
    shifts.push_back(simulated(*network, spec, 1).results.front().bandwidth);
  }
  const Quality quality = assess(fabric, routes, {.shifts = true});
  ASSERT_TRUE(quality.shifts);
  EXPECT_EQ(quality.shifts->measured, shifts.size());
  EXPECT_NEAR(quality.shifts->mean, statistics(shifts).mean, 1e-9);
  EXPECT_NEAR(quality.shifts->worst, std::ranges::min(shifts), 1e-9);
  EXPECT_NEAR(shifts[quality.shifts->worst_distance - 1], quality.shifts->worst, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Small, QualityOfSpecs, testing::ValuesIn(kSmallSpecs));

}  // namespace
}  // namespace weft
