// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// -R auto: selection of an engine, the message that gives the reason, stability of the selection,
// and fabrics of several parts.

#include "policy/automatic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "congestion/quality/quality.h"
#include "policy/engine_trial.h"
#include "policy/reweighted.h"
#include "policy/route_chain.h"
#include "routing/adaptive/engines.h"
#include "routing/engine.h"
#include "routing/reweight/parameter.h"
#include "routing/shapes/ranks.h"
#include "support/tiny.h"
#include "support/walks.h"

namespace weft {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

ChainResult automatic(const Fabric& fabric, RoutingOptions options = {}) {
  const auto choice = parse_engine_choice("auto");
  EXPECT_TRUE(choice);
  return route_by_chain(fabric, *choice, std::move(options), VerifyMode::kEnforce);
}

TEST(Automatic, HasAtLeast97PercentOfTheBisectionOfEachEngine) {
  for (const char* spec :
       {"fattree3:k=8", "fattree3:k=8,fail=20,seed=1", "torus:5x5x5,hosts=1", "mesh:4x4,hosts=2",
        "hypercube:n=5", "hyperx:4x4,hosts=2", "dragonfly:a=6,h=3,p=3", "slimfly:q=5",
        "random:n=32,degree=5,hosts=2,seed=1", "kautz:b=3,n=3", "ring:n=6,hosts=2",
        "dragonflyplus:leaves=4,spines=4,h=2,hosts=4"}) {
    const Fabric fabric = fabric_of(spec);
    const ChainResult chosen =
        route_by_chain(fabric, {{"auto"}, true, Objective::kBisection}, {}, VerifyMode::kEnforce);
    ASSERT_TRUE(chosen.status) << spec;
    EXPECT_TRUE(chosen.verdict.ok()) << spec;
    EXPECT_THAT(chosen.choice, HasSubstr(chosen.routes.engine)) << spec;
    const double ebb = assess(fabric, chosen.routes).ebb;
    for (const Engine& engine : engines()) {
      const ChainResult one =
          route_by_chain(fabric, {{std::string(engine.name)}, false}, {}, VerifyMode::kEnforce);
      if (!one.status) continue;
      EXPECT_GE(ebb, 0.97 * assess(fabric, one.routes).ebb) << spec << " " << engine.name;
    }
  }
}

TEST(Automatic, SelectsTheEngineWithTheHighestValueOfTheObjective) {
  const Fabric fabric = fabric_of("fattree3:k=4,fail=5,seed=1");
  std::set<std::string> selected;
  for (const Objective objective :
       {Objective::kBisection, Objective::kAllToAll, Objective::kShift, Objective::kBalanced}) {
    const ChainResult chosen =
        route_by_chain(fabric, {{"auto"}, false, objective}, {}, VerifyMode::kEnforce);
    ASSERT_TRUE(chosen.status);
    selected.insert(chosen.routes.engine);
    const Trial selected_trial = try_alone(fabric, chosen.routes.engine, {}, objective).trial;
    for (const Engine& engine : engines()) {
      const EngineTrial one = try_alone(fabric, engine.name, {}, objective);
      if (one.chain.status && engine.traits.automatic > 0) {
        EXPECT_TRUE(is_as_good(selected_trial, one.trial)) << engine.name;
      }
    }
  }
  EXPECT_GT(selected.size(), 1u);
}

TEST(Automatic, ReportsReasonAndSecondBest) {
  EXPECT_THAT(automatic(fabric_of("fattree3:k=4")).choice,
              StartsWith("a tree of 3 levels: ftree (effective bisection "));
  const std::vector<Trial> trials{{"a", 0.5, 1, 1, "figures of a"},
                                  {"b", 0.7, 2, 1, "figures of b"},
                                  {"c", 0.699, 1, 1, "figures of c"},
                                  {"d", 0.6, 1, 1, "figures of d"}};
  EXPECT_EQ(best_of(trials), 1u);  // equal to c within 0.5%, and earlier in the list
  EXPECT_EQ(describe_choice({TopologyKind::kIrregular, "something"}, trials, 1),
            "something: b (figures of b, 2 VLs, free of deadlock on one SL); next best "
            "c (figures of c, 1 VL, free of deadlock on one SL), less by 0.001");
  EXPECT_EQ(describe_choice({TopologyKind::kTree, "a tree"}, {{"a", 0.5, 1, 1, "figures"}}, 0),
            "a tree: a (figures, 1 VL, free of deadlock on one SL); no other "
            "engine succeeds");
  EXPECT_EQ(describe_choice({TopologyKind::kSingleSwitch, "a single switch"},
                            {{"a", 0.5, 1, 1, "figures"}}, 0),
            "a single switch: a (figures, 1 VL, free of deadlock on one SL); no other "
            "engine is tried, since all routes are equal");
}

TEST(Automatic, PrefersRoutesThatDoNotNeedTheSlAtEqualQuality) {
  const std::vector<Trial> trials{{"needs its SLs", 0.7, 3, 0},
                                  {"safe on SL 4", 0.699, 1, 1 << 4},
                                  {"safe on SL 0", 0.698, 1, 1},
                                  {"too", 0.7, 1, 0xFFFF},
                                  {"worse", 0.69, 1, 0xFFFF}};
  EXPECT_EQ(best_of(trials), 2u);
  EXPECT_THAT(describe_choice({TopologyKind::kTorus, "a torus"}, trials, 2),
              HasSubstr("preferred to needs its SLs with routes that can deadlock if clients "
                        "ignore the SL"));
  EXPECT_EQ(best_of({{"a", 0.7, 3, 0}, {"b", 0.699, 1, 1 << 4}}), 1u);
  EXPECT_EQ(best_of({{"a", 0.7, 3, 0}, {"b", 0.69, 1, 1}}),
            0u);  // a is better than b by more than 0.5%
}

TEST(Automatic, AddsTheErrorOfSampledShiftsToTheError) {
  Trial a{"a", 0.7, 3, 0, "a"}, b{"b", 0.69, 1, 1, "b"};
  for (int i = 0; i < 100; ++i) {
    a.by_distance.push_back(0.7);
    b.by_distance.push_back(0.69 + (i % 2 == 0 ? -0.1 : 0.1));
  }
  EXPECT_EQ(shortfall(b, a).error, 0) << "all distances were measured";
  b.unmeasured = 0.25;
  EXPECT_NEAR(shortfall(b, a).mean, 0.01, 1e-9);
  EXPECT_NEAR(shortfall(b, a).error, 2.576 * 0.1 / 10 * 0.5, 1e-4);
  const double of_distances = shortfall(b, a).error;
  for (int i = 0; i < 100; ++i) {
    a.by_matching.push_back(0.7);
    b.by_matching.push_back(0.69 + (i % 2 == 0 ? -0.1 : 0.1));
  }
  EXPECT_NEAR(shortfall(b, a).error, of_distances * std::sqrt(1 + 4), 1e-4);
}

// All trials use the same matchings. b is lower than a by about 0.01 in each matching, which is
// significant. c is lower than a by 0.01 on average with a large deviation, which is not
// significant.
TEST(Automatic, ComparesEnginesOverTheSameMatchings) {
  Trial a{"a", 0.7, 3, 0, "a"}, b{"b", 0.69, 1, 1, "b"}, c{"c", 0.69, 1, 1, "c"};
  for (int i = 0; i < 100; ++i) {
    a.by_matching.push_back(0.7 + (i % 2 == 0 ? 0.05 : -0.05));
    b.by_matching.push_back(a.by_matching.back() - (i % 4 < 2 ? 0.009 : 0.011));
    c.by_matching.push_back(0.69 + (i % 2 == 0 ? -0.05 : 0.05));
  }
  EXPECT_NEAR(shortfall(b, a).mean, 0.01, 1e-9);
  EXPECT_LT(shortfall(b, a).error, 0.001);
  EXPECT_GT(shortfall(c, a).error, 0.02);
  EXPECT_FALSE(is_as_good(b, a));
  EXPECT_TRUE(is_as_good(c, a));
  EXPECT_EQ(best_of({a, b}), 0u);
  EXPECT_EQ(best_of({a, c}), 1u);
  EXPECT_THAT(
      describe_choice({TopologyKind::kTree, "a tree"}, {a, b}, 0),
      HasSubstr("next best b (b, 1 VL, free of deadlock on one SL), less by 0.010 +/- 0.000"));
  c.value = 0.62;
  EXPECT_FALSE(is_as_good(c, a)) << "a deficit of a tenth is not accepted with any interval";
}

// With dfp, all 32 hosts of a group send to another group over one cable in the worst shift. Its
// all to all is the best of all engines.
TEST(Automatic, DoesNotSelectAnEngineWithACollapsedShiftBetweenGroups) {
  const Fabric fabric = fabric_of("dragonfly:a=8,h=4,p=4");
  const EngineTrial collapsed = try_alone(fabric, "dfp", {}, Objective::kBalanced);
  EXPECT_EQ(collapsed.quality.shifts->worst_distance % 32, 0u);
  EXPECT_NEAR(collapsed.quality.shifts->worst, 1.0 / 32, 1e-6);
  const EngineTrial other = try_alone(fabric, "hoplanes", {}, Objective::kBalanced);
  EXPECT_GT(collapsed.quality.alltoall, other.quality.alltoall);
  EXPECT_FALSE(is_as_good(collapsed.trial, other.trial));
}

// On a damaged tree reweighting passes raise the all-to-all objective and lower the shift
// objective.
TEST(Automatic, KeepsPassesOnlyIfTheObjectiveIncreases) {
  const Fabric fabric = fabric_of("fattree3:k=8,fail=20,seed=1");
  RoutingOptions options;
  options.parameters.set(kReweight, kReweightAuto);
  for (const auto& [objective, words] : {std::pair(Objective::kAllToAll, "reweighting: all passes"),
                                         std::pair(Objective::kShift, "reweighting: no passes")}) {
    const double plain = try_alone(fabric, "ftree", {}, objective).trial.value;
    const EngineTrial one = try_alone(fabric, "ftree", options, objective);
    EXPECT_GE(one.trial.value, plain);
    ASSERT_EQ(one.chain.routes.notes.size(), 1u);
    EXPECT_THAT(one.chain.routes.notes[0], StartsWith(words));
  }
  EXPECT_TRUE(try_alone(fabric, "dfp", options, Objective::kShift).chain.routes.notes.empty());
}

// Passes reduce the largest load, and decrease the values of both objectives by less than a
// hundredth.
TEST(Automatic, KeepsPassesThatLoseLittleOfTheBalancedObjective) {
  RoutingOptions options;
  options.parameters.set(kReweight, kReweightAuto);
  const Fabric fabric = fabric_of("torus:6x6,hosts=1");
  const Engine& minhop = *find_engine("minhop");
  const auto note = [&](Objective objective) {
    const auto run = [&](const RoutingOptions& with) { return run_engine(minhop, fabric, with); };
    return route_for_objective(fabric, minhop, options, objective, run)->notes.at(0);
  };
  EXPECT_THAT(note(Objective::kBalanced), StartsWith("reweighting: all passes"));
  EXPECT_THAT(note(Objective::kBisection), StartsWith("reweighting: no passes"));
}

TEST(Automatic, RunsTheEngineOnceIfPassesChangeNothing) {
  RoutingOptions options;
  options.parameters.set(kReweight, kReweightAuto);
  const auto runs = [&](const char* spec, const char* name, Objective objective) {
    const Fabric fabric = fabric_of(spec);
    const Engine& engine = *find_engine(name);
    unsigned count = 0;
    const auto run = [&](const RoutingOptions& with) {
      ++count;
      return run_engine(engine, fabric, with);
    };
    EXPECT_TRUE(route_for_objective(fabric, engine, options, objective, run).has_value());
    return count;
  };
  for (const char* engine : {"minhop", "updn", "dnup", "sssp", "nue", "dfsssp"}) {
    EXPECT_EQ(runs("fattree3:k=4", engine, Objective::kBalanced), 1u) << engine;
    EXPECT_EQ(runs("fattree3:k=8,fail=20,seed=1", engine, Objective::kBalanced), 2u) << engine;
  }
  // The engine stores routes without AR groups.
  EXPECT_EQ(runs("fattree3:k=4", "ar_updn", Objective::kBalanced), 2u);
}

TEST(Automatic, UsesSingleSlsOfTheVerdict) {
  const Fabric fabric = fabric_of("ring:n=6,hosts=2");
  EXPECT_EQ(try_alone(fabric, "updn", {}, Objective::kBisection).trial.single_sls, 0xFFFF);
  EXPECT_EQ(try_alone(fabric, "lash", {}, Objective::kBisection).trial.single_sls, 0);
}

TEST(Automatic, ReusesTheFiguresOfAnEarlierTrialWithEqualPaths) {
  const Fabric fabric = fabric_of("fattree3:k=8");
  std::vector<EngineTrial> measured;
  measured.push_back(try_alone(fabric, "ftree", {}, Objective::kBisection));
  const double value = measured.front().trial.value;
  measured.front().quality.ebb = 0.125;
  const auto with = [&](std::string_view engine) {
    return try_alone(fabric, engine, {}, Objective::kBisection, &find_engine, {}, measured);
  };
  const EngineTrial updn = with("updn");
  ASSERT_EQ(updn.chain.routes.lfts, measured.front().chain.routes.lfts);
  EXPECT_EQ(updn.trial.value, 0.125);
  EXPECT_EQ(try_alone(fabric, "updn", {}, Objective::kBisection).trial.value, value);
  const EngineTrial nue = with("nue");
  ASSERT_NE(nue.chain.routes.lfts, measured.front().chain.routes.lfts);
  EXPECT_NE(nue.trial.value, 0.125);
}

TEST(Automatic, KeepsTheEngineAndUnaffectedRoutes) {
  const Fabric fabric = fabric_of("fattree2:k=8");
  const ChainResult before = route_by_chain(fabric, {{"updn"}, false}, {}, VerifyMode::kEnforce);
  RoutingOptions options;
  options.previous = before.routes.lfts;
  options.previous_engine = "updn";
  const ChainResult after = automatic(fabric, options);
  EXPECT_EQ(after.routes.engine, "updn");
  EXPECT_EQ(after.routes.lfts, before.routes.lfts);
  EXPECT_EQ(after.choice, "updn is kept");

  // "file" is no candidate, so that an engine is selected again.
  options.previous_engine = "file";
  EXPECT_EQ(automatic(fabric, options).routes.engine, "ftree");
}

TEST(Automatic, CanBeUsedInAChain) {
  const auto choice = parse_engine_choice("file,auto,no_fallback");
  ASSERT_TRUE(choice);
  const ChainResult chain =
      route_by_chain(fabric_of("ring:n=5,hosts=1"), *choice, {}, VerifyMode::kEnforce);
  ASSERT_TRUE(chain.status);
  ASSERT_EQ(chain.failed.size(), 1u);
  EXPECT_EQ(chain.failed[0].engine, "file");
  EXPECT_TRUE(chain.verdict.ok());
}

TEST(Automatic, HasThreeCandidatesOnVeryLargeTrees) {
  const Fabric small = fabric_of("fattree2:k=8");
  EXPECT_GT(candidates_for(small, recognize(small), false).size(), 3u);
  EXPECT_EQ(candidates_for(small, recognize(small), true).front(), "torus-2QoS");
  const Fabric large = fabric_of("fattree3:k=36");
  EXPECT_EQ(candidates_for(large, {TopologyKind::kTree, ""}, false).size(), 3u);
  EXPECT_THAT(automatic(large).choice,
              AllOf(HasSubstr("3 levels: ftree"), HasSubstr("no other engine is tried")));
}

TEST(Automatic, OmitsEnginesOnLargeFabricsOnly) {
  const Fabric large = fabric_of("fattree3:k=36");
  const Topology tree{TopologyKind::kTree, ""};
  EXPECT_TRUE(is_omitted_by_size(large, tree, "lash", false));
  EXPECT_FALSE(is_omitted_by_size(large, tree, "ftree", false));
  // "auto" does not try these engines on smaller fabrics either.
  for (const char* engine : {"file", "chain", "ar_updn", "torus-2QoS"})
    EXPECT_FALSE(is_omitted_by_size(large, tree, engine, false)) << engine;
  const Fabric small = fabric_of("fattree2:k=8");
  for (const Engine& engine : engines())
    EXPECT_FALSE(is_omitted_by_size(small, tree, engine.name, false)) << engine.name;
}

TEST(Automatic, NoEngineIsBetterThanOneWithTheHighestValue) {
  for (const char* spec : {"fattree2:k=8", "fattree3:k=4", "fattree3:k=6", "xgft:m=3x3x4,w=1x3x3",
                           "rail:k=8,su=2,nics=2", "xgft:m=2x2x2x2,w=1x2x2x2"}) {
    const Fabric fabric = fabric_of(spec);
    const Topology topology = recognize(fabric);
    const auto candidates = candidates_for(fabric, topology, false);
    const EngineTrial first = try_alone(fabric, candidates[0], {}, Objective::kBalanced);
    ASSERT_TRUE(first.chain.status) << spec;
    EXPECT_TRUE(has_highest_value(topology, Objective::kBalanced, first.trial, first.quality))
        << spec;
    for (const std::string_view name : candidates) {
      const EngineTrial one = try_alone(fabric, name, {}, Objective::kBalanced);
      if (!one.chain.status) continue;
      EXPECT_LE(one.trial.value, 1.005 * first.trial.value) << spec << " " << name;
    }
  }
}

TEST(Automatic, HighestValueRequiresFullBandwidthAndDeadlockFreedomOnSl0) {
  const Topology tree{TopologyKind::kTree, ""};
  const Topology torus{TopologyKind::kTorus, ""};
  const Trial trial{"a", 0.9, 1, 1};
  Quality full;
  full.ebb = 0.7;
  full.alltoall = 1;
  full.shifts = ShiftQuality{4, 1, 1, 1};
  EXPECT_TRUE(has_highest_value(tree, Objective::kBalanced, trial, full));
  EXPECT_FALSE(has_highest_value(torus, Objective::kBalanced, trial, full));
  EXPECT_FALSE(has_highest_value(tree, Objective::kBisection, trial, full));
  EXPECT_FALSE(has_highest_value(tree, Objective::kBalanced, {"a", 0.9, 2, 1 << 4}, full));
  EXPECT_TRUE(has_highest_value(torus, Objective::kShift, {"a", 1, 1, 1}, full));
  EXPECT_FALSE(has_highest_value(torus, Objective::kShift, {"a", 1, 3, 0}, full));
  Quality less = full;
  less.alltoall = 0.99;
  EXPECT_FALSE(has_highest_value(tree, Objective::kBalanced, trial, less));
  less = full;
  less.shifts->worst = 0.5;
  EXPECT_FALSE(has_highest_value(tree, Objective::kBalanced, trial, less));
  less.shifts.reset();
  EXPECT_FALSE(has_highest_value(tree, Objective::kBalanced, trial, less));
}

TEST(Automatic, CandidatesAreAllEnginesThatRequireNoFiles) {
  for (const char* spec : {"fattree2:k=4", "torus:4x4", "mesh:3x3", "dragonfly:a=4,h=2,p=2",
                           "hyperx:3x3", "random:n=12,degree=3,seed=1"}) {
    const Fabric fabric = fabric_of(spec);
    const auto candidates = candidates_for(fabric, recognize(fabric), true);
    for (const Engine& engine : engines()) {
      const bool needs_files = engine.name == "chain" || engine.name == "file";
      if (needs_files || plain_engine(engine.name) != engine.name) continue;
      EXPECT_EQ(std::ranges::count(candidates, engine.name), 1) << spec << " " << engine.name;
    }
  }
}

TEST(Automatic, SelectsTheBestTrialOfAllEngines) {
  for (const char* spec : {"hyperx:4x4,hosts=2", "dragonfly:a=4,h=2,p=2", "ring:n=5,hosts=1",
                           "random:n=24,degree=6,hosts=3,seed=3", "line:n=5"})
    for (const std::uint64_t seed : {0, 7}) {
      const Fabric fabric = fabric_of(spec);
      RoutingOptions options;
      options.seed = seed;
      std::vector<Trial> trials;
      for (const std::string_view name : candidates_for(fabric, recognize(fabric), false))
        if (EngineTrial one = try_alone(fabric, name, options, EngineChoice{}.objective);
            one.chain.status)
          trials.push_back(std::move(one.trial));
      ASSERT_FALSE(trials.empty());
      EXPECT_EQ(automatic(fabric, options).routes.engine, trials[best_of(trials)].engine) << spec;
    }
}

//  S0 - S1 - S2    a line, a ring of four and a single switch, with hosts
//  S3 - S4
//  |     |         S7
//  S6 - S5
Fabric three_parts() {
  return Tiny(8)
      .link(0, 1)
      .link(1, 2)
      .link(3, 4)
      .link(4, 5)
      .link(5, 6)
      .link(6, 3)
      .hosts(0)
      .hosts(2)
      .hosts(3, 2)
      .hosts(4, 2)
      .hosts(5, 2)
      .hosts(6, 2)
      .hosts(7)
      .build();
}

TEST(Automatic, RoutesEachPartOfAPartitionedFabric) {
  const ChainResult chosen = automatic(three_parts());
  ASSERT_TRUE(chosen.status) << chosen.status.error().message;
  ASSERT_EQ(chosen.parts.size(), 3u);
  EXPECT_EQ(chosen.parts[0].switches, 4u);
  EXPECT_EQ(chosen.parts[0].cas, 8u);
  EXPECT_THAT(chosen.parts[0].choice, StartsWith("a hypercube of 2 dimensions: "));
  EXPECT_EQ(chosen.parts[1].switches, 3u);
  EXPECT_EQ(chosen.parts[1].cas, 2u);
  EXPECT_EQ(chosen.parts[2].switches, 1u);
  EXPECT_EQ(chosen.parts[2].cas, 1u);
  // 11 hosts have 110 ordered pairs. 56 pairs are in the ring and 2 in the line; the other 52 are
  // unreachable.
  EXPECT_EQ(chosen.verdict.ca_to_ca.pairs, 110u);
  EXPECT_EQ(chosen.verdict.ca_to_ca.cut_off, 52u);
  EXPECT_EQ(chosen.verdict.ca_to_ca.arrived, 58u);
  EXPECT_FALSE(chosen.verdict.ok());
  EXPECT_TRUE(serves(chosen.verdict));
  EXPECT_THAT(describe_parts(chosen),
              StartsWith("3 parts that no cables join: 4 switches and 8 CAs by "));
  EXPECT_THAT(describe_parts(chosen), HasSubstr("; 52 CA pairs are in different parts"));
}

TEST(Automatic, RoutesPartsOfDamagedFabrics) {
  for (const char* spec :
       {"fattree2:k=4,leaves=4,fail=6,seed=1,connected=0", "torus:4x4,connected=0,fail=20,seed=3",
        "dragonfly:a=4,h=2,p=2,connected=0,fail=90,seed=5", "mesh:5x5,connected=0,dead=9,seed=2"}) {
    const Fabric fabric = fabric_of(spec);
    const ChainResult chosen = automatic(fabric);
    ASSERT_TRUE(chosen.status) << spec << ": " << chosen.status.error().message;
    EXPECT_EQ(chosen.parts.size(), switches_by_part(fabric).size()) << spec;
    EXPECT_GT(chosen.verdict.ca_to_ca.cut_off, 0u) << spec;
    EXPECT_EQ(chosen.verdict.ca_to_ca.missing(), 0u) << spec;
    EXPECT_TRUE(serves(chosen.verdict)) << spec;
  }
}

TEST(Automatic, ConnectedFabricHasOnePart) {
  const ChainResult chosen = automatic(fabric_of("fattree2:k=4"));
  EXPECT_EQ(chosen.parts.size(), 1u);
}

// In these trees packets to and from port 0 of switches deadlock on the first paths, so their paths
// are replaced. The first multicast trees are planned without regard to these packets.
TEST(SwitchPaths, FormNoCycleWithMulticastTreesAfterTheyAreReplaced) {
  for (const char* spec : {"fattree3:k=6,fail=2,seed=1", "fattree3:k=6,fail=2,seed=4"}) {
    const Fabric fabric = fabric_of(spec);
    RoutingOptions options;
    for (std::uint16_t i = 0; i < 16; ++i)
      options.groups.push_back({Lid(static_cast<std::uint16_t>(0xC000 + i)), fabric.hosts(), {}});
    const ChainResult result =
        route_by_chain(fabric, {{"minhop"}, false}, options, VerifyMode::kWarn);
    ASSERT_TRUE(result.status) << spec;
    EXPECT_TRUE(result.verdict.multicast_ok()) << spec;
    EXPECT_TRUE(result.verdict.switches_ok()) << spec;
  }
}

}  // namespace
}  // namespace weft
