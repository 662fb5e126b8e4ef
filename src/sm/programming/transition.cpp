// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/transition.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/clock.h"
#include "sm/programming/exposure.h"
#include "sm/programming/table_order.h"

namespace weft {

std::string_view name(Exposure exposure) {
  switch (exposure) {
    case Exposure::kNothingChanges:
      return "nothing changes";
    case Exposure::kNone:
      return "none";
    case Exposure::kCycle:
      return "cycle";
    case Exposure::kNotVerified:
      return "not judged";
  }
  return "?";
}

namespace {

using Tables = ExposureChecker::Tables;

/// Attempts to find sets of blocks that may change together.
constexpr unsigned kTriesMax = 32;

/// BlockStages of blocks that change together, such that the combined dependencies of all blocks
/// (changed, changing and unchanged) and of multicast stay acyclic, as far as bisection finds such
/// sets. The remaining blocks form the last stage.
class BlockStages {
 public:
  BlockStages(const ExposureChecker& checker, std::vector<std::size_t> changing, std::size_t blocks)
      : of_block(blocks, 0),
        checker_(checker),
        held_trees_(checker.multicast_dependencies(ExposureChecker::Trees::kOld, false)),
        tables_(blocks, Tables::kNew) {
    for (const std::size_t block : changing) tables_[block] = Tables::kOld;
    while (!changing.empty()) {
      chosen_.clear();
      choose(changing);
      if (chosen_.empty()) break;
      for (const std::size_t block : chosen_) {
        of_block[block] = count;
        tables_[block] = Tables::kNew;
        std::erase(changing, block);
      }
      ++count;
    }
    if (changing.empty()) return;
    for (const std::size_t block : changing) {
      of_block[block] = count;
      tables_[block] = Tables::kBoth;
    }
    ++count;
    cyclic = checker_.channels_on_cycles(tables_, false, &held_trees_);
    cyclic_unicast = checker_.channels_on_cycles(tables_, false, nullptr);
  }

  std::vector<std::uint16_t> of_block;
  std::uint16_t count = 0;
  std::uint64_t cyclic = 0;          // channels on cycles in the last stage
  std::uint64_t cyclic_unicast = 0;  // of unicast packets alone

 private:
  /// Adds the blocks that can change together with those selected before.
  void choose(std::span<const std::size_t> blocks) {
    if (tries_ == kTriesMax) return;
    ++tries_;
    for (const std::size_t block : blocks) tables_[block] = Tables::kBoth;
    if (checker_.channels_on_cycles(tables_, false, &held_trees_) == 0) {
      chosen_.insert(chosen_.end(), blocks.begin(), blocks.end());
      return;
    }
    for (const std::size_t block : blocks) tables_[block] = Tables::kOld;
    if (blocks.size() == 1) return;
    choose(blocks.first(blocks.size() / 2));
    choose(blocks.subspan(blocks.size() / 2));
  }

  const ExposureChecker& checker_;
  const DependencyGraph held_trees_;  // multicast tables change after all others
  std::vector<Tables> tables_;
  std::vector<std::size_t> chosen_;
  unsigned tries_ = 0;
};

/// Blocks with active old entries.
std::vector<std::size_t> changing_blocks(const Fabric& fabric, const HeldTables& held,
                                         std::span<const Op> ops, std::size_t blocks) {
  std::vector<bool> changes(blocks, false);
  for (const Op& op : ops) {
    if (changes[op.index]) continue;
    const HeldTable* table = held.find(fabric.node(SwitchId(op.node)).node_guid);
    changes[op.index] = table != nullptr && table->knows(op.index);
  }
  std::vector<std::size_t> found;
  for (std::size_t block = 0; block < blocks; ++block)
    if (changes[block]) found.push_back(block);
  return found;
}

/// Deadlock risk while SL2VL changes, and as long as hosts use old SLs.
void check_lanes(const ExposureChecker& checker, std::size_t blocks, TransitionReport& report) {
  if (!checker.lanes_change()) return;
  report.sl_changes = checker.sl_changes();
  const std::vector<Tables> tables(blocks, Tables::kNew);
  for (const auto trees : {ExposureChecker::Trees::kOld, ExposureChecker::Trees::kNew}) {
    const DependencyGraph multicast = checker.multicast_dependencies(trees, true);
    report.lane_channels =
        std::max(report.lane_channels, checker.channels_on_cycles(tables, true, &multicast));
  }
  if (report.lane_channels > 0)
    report.lane_channels_unicast = checker.channels_on_cycles(tables, true, nullptr);
  report.lanes = report.lane_channels == 0 ? Exposure::kNone : Exposure::kCycle;
}

}  // namespace

TransitionReport plan_transition(const Fabric& fabric, const HeldTables& held, const Routes& wanted,
                                 const RoutesBefore& before, Plan& plan, unsigned threads,
                                 bool ignore_replies) {
  const Stopwatch watch;
  TransitionReport report;
  std::vector<Op>& ops = plan[Phase::kTables];
  if (ops.empty()) return report;
  const std::size_t blocks = wanted.lfts.blocks();
  std::vector<std::size_t> changing = changing_blocks(fabric, held, ops, blocks);
  std::vector<std::uint16_t> stage_of_block;
  report.stages = 1;
  if (!changing.empty()) {
    const ExposureChecker checker(fabric, held, wanted, before, threads, ignore_replies);
    if (checker.knows_trees() && checker.is_up_and_down()) {
      report.tables = Exposure::kNone;
      if (checker.lanes_change()) report.lanes = Exposure::kNone;
    } else if (!checker.knows_lanes() || !checker.knows_trees() || checker.too_large()) {
      report.tables = report.lanes = Exposure::kNotVerified;
    } else {
      BlockStages stages(checker, std::move(changing), blocks);
      report.tables = stages.cyclic == 0 ? Exposure::kNone : Exposure::kCycle;
      report.table_channels = stages.cyclic;
      report.table_channels_unicast = stages.cyclic_unicast;
      report.stages = stages.count;
      stage_of_block = std::move(stages.of_block);
      check_lanes(checker, blocks, report);
    }
  }
  TableOrder order = order_tables(fabric, held, wanted.lfts, ops, stage_of_block, threads);
  report.rounds = order.rounds.ends.size();
  report.extra_writes = order.extra_writes;
  report.ordered_lids = order.ordered_lids;
  report.unordered_lids = order.unordered_lids;
  if (report.tables == Exposure::kCycle)  // the last stage
    report.exposed_rounds = order.stage_begins.back() - *(order.stage_begins.end() - 2);
  ops = std::move(order.ops);
  plan.table_rounds = std::move(order.rounds);
  report.seconds = watch.seconds();
  return report;
}

std::vector<std::string> warnings_of(const TransitionReport& report) {
  const auto of = [](std::uint64_t unicast) { return unicast == 0 ? ", with multicast only" : ""; };
  std::vector<std::string> warnings;
  if (report.unordered_lids > 0)
    warnings.push_back(
        fmt::format("{} LIDs have no loop-free order of table writes: their new routes loop",
                    report.unordered_lids));
  if (report.tables == Exposure::kCycle)
    warnings.push_back(fmt::format(
        "during the update, {} channels are on credit loops of combined old and new routes{}, "
        "for "
        "{} of {} rounds: a deadlock is possible, and the lifetime of packets at the head of a "
        "queue ends it",
        report.table_channels, of(report.table_channels_unicast), report.exposed_rounds,
        report.rounds));
  if (report.lanes == Exposure::kCycle)
    warnings.push_back(
        fmt::format("the service levels of {} pairs of a switch and a LID change; until hosts "
                    "query new paths, {} "
                    "channels are on credit loops{}",
                    report.sl_changes, report.lane_channels, of(report.lane_channels_unicast)));
  return warnings;
}

}  // namespace weft
