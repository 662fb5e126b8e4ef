// Deadlocks while routes change: what is said to be free of them is so in every state in between,
// as the verifier sees it.
#include "sm/exposure.h"

#include <algorithm>
#include <string_view>

#include "fabric/generators/spec.h"
#include "replayed.h"
#include "routing/engine.h"
#include "support/fabrics.h"
#include "support/tiny.h"
#include "unit/routing/walks.h"
#include "verify/verify.h"

namespace weft {
namespace {

Result<Routes> routed(const Fabric& fabric, const char* engine, std::uint32_t root) {
  RoutingOptions options{.threads = 1};
  if (std::string_view(engine) != "ftree") options.roots = {SwitchId(root % fabric.switch_count())};
  return run_engine(*find_engine(engine), fabric, options);
}

struct Changed {
  TransitionReport report;
  Plan plan;
};

Changed change(const Fabric& fabric, const Routes& before, const Routes& wanted) {
  Changed changed;
  const HeldTables held = holding(fabric, before.lfts);
  changed.plan[Phase::kTables] = differing(fabric, held, wanted.lfts);
  changed.report = plan_transition(fabric, held, wanted, {&fabric, &before}, changed.plan, 1);
  return changed;
}

/// Plays the plan write by write, with the lanes of before, and counts states with credit loops.
std::uint64_t bad_states(const Fabric& fabric, const Routes& before, const Routes& wanted,
                         const Plan& plan) {
  Replay replay(fabric, before.lfts, wanted.lfts);
  std::uint64_t bad = 0;
  const std::vector<Op>& ops = plan[Phase::kTables];
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto& parts = plan.table_rounds.parts;
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const TablePart& p) { return p.op == i; });
    replay.write(ops[i], part == parts.end() ? ~std::uint64_t{0} : part->lids);
    Routes now = before;
    now.lfts = replay.tables();
    if (verify(fabric, now, {.threads = 1}).has_credit_loop()) ++bad;
  }
  EXPECT_EQ(replay.loops(), 0u);
  return bad;
}

TEST(Exposure, WhatIsSaidToBeFreeOfDeadlocksIs) {
  std::uint64_t free = 0, exposed = 0, bad = 0, staged = 0;
  std::uint32_t root = 0;
  for (const char* spec : kSmallSpecs) {
    const Fabric fabric = lidded(spec);
    for (const auto& [old_engine, engine] :
         {std::pair("updn", "updn"), std::pair("updn", "nue"), std::pair("dfsssp", "updn")}) {
      const auto before = routed(fabric, old_engine, 0);
      const auto wanted = routed(fabric, engine, ++root);
      if (!before || !wanted) continue;
      if (verify(fabric, *before).has_credit_loop()) continue;
      const Changed changed = change(fabric, *before, *wanted);
      if (changed.plan[Phase::kTables].empty()) continue;
      const std::uint64_t found = bad_states(fabric, *before, *wanted, changed.plan);
      if (changed.report.tables == Exposure::kNone) {
        ++free;
        EXPECT_EQ(found, 0u) << spec << " from " << old_engine << " to " << engine;
        EXPECT_EQ(changed.report.table_channels, 0u);
      } else {
        ++exposed;
        bad += found;
        EXPECT_GT(changed.report.table_channels, 0u);
        EXPECT_FALSE(warnings_of(changed.report).empty());
      }
      if (changed.report.stages > 1) ++staged;
    }
  }
  // Otherwise the cases prove nothing.
  EXPECT_GT(free, 5u);
  EXPECT_GT(exposed, 5u);
  EXPECT_GT(bad, 0u);
  fmt::print("{} free, {} exposed, {} states with loops, {} in stages\n", free, exposed, bad,
             staged);
}

TEST(Exposure, ATreeIsUpAndDownWhateverTheEngines) {
  const Fabric fabric = lidded("fattree3:k=4");
  const auto before = routed(fabric, "minhop", 0), wanted = routed(fabric, "ftree", 0);
  ASSERT_TRUE(before && wanted);
  const HeldTables held = holding(fabric, before->lfts);
  Plan plan;
  plan[Phase::kTables] = differing(fabric, held, wanted->lfts);
  ASSERT_FALSE(plan[Phase::kTables].empty());
  // Nobody knows the service levels of before: on a tree they do not matter.
  const TransitionReport report = plan_transition(fabric, held, *wanted, {}, plan, 1);
  EXPECT_EQ(report.tables, Exposure::kNone);
  EXPECT_EQ(report.rounds, 1u);
}

TEST(Exposure, IsNotJudgedWhereServiceLevelsAreNotKnown) {
  const Fabric fabric = lidded("torus:4x4,hosts=2");
  const auto before = routed(fabric, "updn", 0), wanted = routed(fabric, "updn", 9);
  ASSERT_TRUE(before && wanted);
  const HeldTables held = holding(fabric, before->lfts);
  Plan plan;
  plan[Phase::kTables] = differing(fabric, held, wanted->lfts);
  ASSERT_FALSE(plan[Phase::kTables].empty());
  EXPECT_EQ(plan_transition(fabric, held, *wanted, {}, plan, 1).tables, Exposure::kNotJudged);
}

TEST(Exposure, CountsServiceLevelsThatChange) {
  const Fabric fabric = lidded("torus:4x4,hosts=2");
  const auto before = routed(fabric, "updn", 0), wanted = routed(fabric, "dfsssp", 0);
  ASSERT_TRUE(before && wanted);
  const TransitionReport report = change(fabric, *before, *wanted).report;
  EXPECT_GT(report.sl_changes, 0u);
  EXPECT_NE(report.lanes, Exposure::kNothingChanges);
  EXPECT_EQ(report.lanes == Exposure::kCycle, report.lane_channels > 0);
}

}  // namespace
}  // namespace weft
