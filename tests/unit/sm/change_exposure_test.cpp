// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Deadlock risk of small updates, computed from the proof of the new routes: an update that is
// reported as safe passes the verifier in every intermediate state, and the order of writes is that
// of a complete check.
#include "sm/transition/change_exposure.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <optional>

#include "base/rng.h"
#include "fabric/without.h"
#include "routes/carry_over.h"
#include "routing/engine.h"
#include "routing/multicast.h"
#include "routing/updn.h"
#include "support/fabrics.h"
#include "support/groups.h"
#include "support/tiny.h"
#include "support/walks.h"
#include "unit/sm/replayed.h"
#include "verify/proof.h"

namespace weft {
namespace {

bool can_deadlock(const Fabric& fabric, const Routes& routes) {
  const Verdict verdict = verify(fabric, routes, {.threads = 1});
  return verdict.has_credit_loop() || !verdict.multicast_credit_loop.empty() ||
         !verdict.switch_credit_loop.empty();
}

/// An update of a running fabric. The dependencies of replies are included.
struct Update {
  Update(const Fabric& a_fabric, const Fabric& a_fabric_before, Routes a_before, Routes a_wanted)
      : fabric(a_fabric),
        fabric_before(a_fabric_before),
        before(std::move(a_before)),
        wanted(std::move(a_wanted)),
        held(held_tables_of(fabric, carry_over(fabric_before, before.lfts, fabric))),
        proof(prove(fabric, wanted, {.threads = 1})) {
    record_trees(held, fabric, before.mfts);
    plan[Phase::kTables] = differing_writes(fabric, held, wanted.lfts);
  }
  std::optional<ChangeExposure> exposure() const {
    return ChangeExposure::of(fabric, held, wanted, {&fabric_before, &before},
                              proof.dependencies.switches, plan[Phase::kTables], 1, false);
  }
  TransitionReport order_writes(Plan& writes, const DependencyGraph* proved) const {
    return plan_transition(fabric, held, wanted, {&fabric_before, &before}, writes, 1, false,
                           proved);
  }
  TableOrder order() const {
    return order_tables(fabric, held, wanted.lfts, plan[Phase::kTables], {}, 1);
  }
  /// Number of intermediate states with credit loops if tables are written in this order, or in an
  /// order drawn by `rng`.
  std::uint64_t bad_states(const TableOrder& order, Rng* rng) const {
    Routes now = before;
    now.lfts = carry_over(fabric_before, before.lfts, fabric);
    Replay replay(fabric, now.lfts, wanted.lfts);
    std::vector<Op> ops = order.ops;
    const bool shuffled = rng != nullptr;
    for (std::size_t i = 0; shuffled && i < ops.size(); ++i)
      std::swap(ops[i], ops[i + rng->below(ops.size() - i)]);
    std::uint64_t bad = 0;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto& parts = order.rounds.parts;
      const auto part = std::ranges::find(parts, i, &TablePart::op);
      replay.write(ops[i], shuffled || part == parts.end() ? ~std::uint64_t{0} : part->lids);
      now.lfts = replay.tables();
      if (can_deadlock(fabric, now)) ++bad;
    }
    return bad;
  }

  const Fabric& fabric;
  const Fabric& fabric_before;
  const Routes before, wanted;
  HeldTables held;
  const Proof proof;
  Plan plan;
};

Routes routes_with_groups(const Fabric& fabric, const Engine& engine, unsigned seed,
                          const Fabric* before, const Routes* was) {
  RoutingOptions options{.threads = 1};
  if (was != nullptr) {
    options.previous = carry_over(*before, was->lfts, fabric);
    options.previous_engine = engine.name;
  }
  auto routes = run_engine(engine, fabric, options);
  if (!routes) return {};
  auto trees = plan_multicast(fabric, *routes, options, some_groups(fabric, seed));
  if (trees) add_multicast(std::move(*trees), *routes);
  return std::move(*routes);
}

TEST(ChangeExposure, SafeUpdatesAreFreeOfDeadlockInEveryState) {
  std::uint64_t any_order = 0, in_order = 0, unsafe = 0, other_lanes = 0, several_lanes = 0;
  unsigned seed = 0;
  for (const char* spec : kSmallSpecs) {
    const Fabric whole = fabric_of(spec);
    for (const std::string_view name : {"minhop", "updn", "dfsssp", "lash", "nue"}) {
      const Engine& engine = *find_engine(name);
      const Routes full = routes_with_groups(whole, engine, 0, nullptr, nullptr);
      if (full.engine.empty()) continue;
      Rng rng(++seed);
      const auto cables = whole.cables();
      const Channel& cable = whole.channel(cables[rng.below(cables.size())]);
      const PortId end = whole.port_id(Fabric::node_of(cable.from), cable.from_port);
      const Fabric damaged = without(whole, {}, std::span(&end, 1));
      const Routes left = routes_with_groups(damaged, engine, 0, &whole, &full);
      if (left.engine.empty()) continue;
      const Routes restored = routes_with_groups(whole, engine, 0, &damaged, &left);
      for (const bool loses : {true, false}) {
        if (can_deadlock(whole, full) || can_deadlock(damaged, left)) continue;
        const Update update =
            loses ? Update(damaged, whole, full, left) : Update(whole, damaged, left, restored);
        const std::string what =
            fmt::format("{} by {}, {}", spec, name, loses ? "cut" : "restored");
        if (update.plan[Phase::kTables].empty() || can_deadlock(update.fabric, update.wanted))
          continue;
        const auto changes = update.exposure();
        if (!changes) {
          ++other_lanes;
          continue;
        }
        if (update.wanted.vls > 1) ++several_lanes;
        const TableOrder order = update.order();
        if (changes->is_safe_in_any_order()) {
          ++any_order;
          EXPECT_EQ(update.bad_states(order, &rng), 0u) << what;
          EXPECT_TRUE(changes->is_safe_in(order)) << what;
        } else if (changes->is_safe_in(order)) {
          ++in_order;
        } else {
          ++unsafe;
          continue;
        }
        EXPECT_EQ(update.bad_states(order, nullptr), 0u) << what;
        Plan plan = update.plan, other = update.plan;
        const TransitionReport of_all = update.order_writes(other, nullptr);
        const TransitionReport of_changes =
            update.order_writes(plan, &update.proof.dependencies.switches);
        EXPECT_EQ(of_all.tables, Exposure::kNone) << what;
        EXPECT_EQ(of_changes.tables, Exposure::kNone) << what;
        EXPECT_EQ(of_changes.stages, 1u) << what;
        EXPECT_EQ(plan[Phase::kTables], other[Phase::kTables]) << what;
        EXPECT_EQ(plan.table_rounds, other.table_rounds) << what;
        EXPECT_EQ(of_changes.sl_changes, 0u) << what;
      }
    }
  }
  fmt::print(
      "{} safe in any order, {} in one, {} unsafe, {} with other lanes, {} on several lanes\n",
      any_order, in_order, unsafe, other_lanes, several_lanes);
  // With fewer cases the test would not detect an error.
  EXPECT_GT(any_order, 20u);
  EXPECT_GT(in_order, 5u);
  EXPECT_GT(unsafe, 0u);
  EXPECT_GT(other_lanes, 0u);
  EXPECT_GT(several_lanes, 5u);
}

}  // namespace
}  // namespace weft
