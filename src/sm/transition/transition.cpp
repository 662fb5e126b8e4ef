// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/transition/transition.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/clock.h"
#include "sm/transition/change_exposure.h"
#include "sm/transition/exposure.h"
#include "sm/transition/table_order.h"

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
      return "not verified";
  }
  return "?";
}

namespace {

/// Maximum number of attempts to find sets of blocks that may change together.
constexpr unsigned kTriesMax = 32;
/// Maximum number of rounds of an order that are checked one by one.
constexpr std::size_t kRoundsMax = 32;

/// Dependencies that exist during the whole update of the tables.
class LastingDependencies {
 public:
  explicit LastingDependencies(const ExposureChecker& checker)
      : unicast_(checker.lasting_dependencies()),
        all_(checker.multicast_dependencies(ExposureChecker::Trees::kOld, false)) {
    all_.add(unicast_);
  }
  const DependencyGraph& unicast() const { return unicast_; }
  /// Includes the dependencies of multicast packets: multicast tables change after all other
  /// tables.
  const DependencyGraph& all() const { return all_; }

 private:
  const DependencyGraph unicast_;
  DependencyGraph all_;
};

/// Sets of blocks that change together, such that the combined dependencies of all blocks (changed,
/// changing and unchanged) and of multicast stay acyclic, if bisection finds such sets. The
/// remaining blocks form the last stage.
class BlockStages {
 public:
  BlockStages(const ExposureChecker& checker, const LastingDependencies& lasting,
              std::vector<std::size_t> changing, std::size_t blocks)
      : of_block(blocks, 0),
        checker_(checker),
        lasting_(lasting),
        states_(blocks, EntryState::kNew) {
    for (const std::size_t block : changing) states_[block] = EntryState::kOld;
    while (!changing.empty()) {
      chosen_.clear();
      choose(changing);
      if (chosen_.empty()) break;
      for (const std::size_t block : chosen_) {
        of_block[block] = count;
        states_[block] = EntryState::kNew;
        std::erase(changing, block);
      }
      ++count;
    }
    if (changing.empty()) return;
    for (const std::size_t block : changing) of_block[block] = count;
    ++count;
    last_is_cyclic = true;
  }

  std::vector<std::uint16_t> of_block;
  std::uint16_t count = 0;
  bool last_is_cyclic = false;

 private:
  /// Adds the blocks that can change together with the blocks selected before.
  void choose(std::span<const std::size_t> blocks) {
    if (tries_ == kTriesMax) return;
    ++tries_;
    for (const std::size_t block : blocks) states_[block] = EntryState::kBoth;
    if (checker_.channels_on_cycles(states_, &lasting_.all()) == 0) {
      chosen_.insert(chosen_.end(), blocks.begin(), blocks.end());
      return;
    }
    for (const std::size_t block : blocks) states_[block] = EntryState::kOld;
    if (blocks.size() == 1) return;
    choose(blocks.first(blocks.size() / 2));
    choose(blocks.subspan(blocks.size() / 2));
  }

  const ExposureChecker& checker_;
  const LastingDependencies& lasting_;
  std::vector<EntryState> states_;
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
    changes[op.index] = table != nullptr && table->is_known(op.index);
  }
  std::vector<std::size_t> found;
  for (std::size_t block = 0; block < blocks; ++block)
    if (changes[block]) found.push_back(block);
  return found;
}

/// The deadlock risk of an order of writes, round by round from `first` on: packets use new entries
/// for earlier rounds, old entries for later rounds, and either for the round itself.
void check_rounds(const ExposureChecker& checker, const LastingDependencies& lasting,
                  const Fabric& fabric, const TableOrder& order, std::size_t first,
                  TransitionReport& report) {
  const EntryTimes times(fabric, order.ops, order.rounds, checker.changing_lids());
  report.table_channels = report.table_channels_unicast = report.exposed_rounds = 0;
  for (auto round = static_cast<std::uint32_t>(first); round < times.rounds(); ++round) {
    const std::uint64_t channels = checker.channels_on_cycles(times, round, &lasting.all());
    if (channels == 0) continue;
    ++report.exposed_rounds;
    report.table_channels = std::max(report.table_channels, channels);
    report.table_channels_unicast =
        std::max(report.table_channels_unicast,
                 checker.channels_on_cycles(times, round, &lasting.unicast()));
  }
  report.tables = report.exposed_rounds == 0 ? Exposure::kNone : Exposure::kCycle;
}

/// Deadlock risk while SL2VL changes, and as long as hosts use old SLs.
void check_lanes(const ExposureChecker& checker, TransitionReport& report) {
  if (!checker.lanes_change()) return;
  report.sl_changes = checker.sl_changes();
  for (const auto trees : {ExposureChecker::Trees::kOld, ExposureChecker::Trees::kNew}) {
    const DependencyGraph multicast = checker.multicast_dependencies(trees, true);
    report.lane_channels =
        std::max(report.lane_channels, checker.channels_on_cycles_of_new_tables(&multicast));
  }
  if (report.lane_channels > 0)
    report.lane_channels_unicast = checker.channels_on_cycles_of_new_tables(nullptr);
  report.lanes = report.lane_channels == 0 ? Exposure::kNone : Exposure::kCycle;
}

/// An order in one stage if it has at most kRoundsMax rounds, each without cycles; otherwise an
/// order in stages.
TableOrder order_with_least_risk(const ExposureChecker& checker, const Fabric& fabric,
                                 const HeldTables& held, const Routes& wanted,
                                 std::span<const Op> ops, std::vector<std::size_t> changing,
                                 unsigned threads, TransitionReport& report) {
  const LastingDependencies lasting(checker);
  TableOrder order = order_tables(fabric, held, wanted.lfts, ops, {}, threads);
  report.stages = 1;
  if (order.rounds.ends.size() <= kRoundsMax)
    check_rounds(checker, lasting, fabric, order, 0, report);
  if (report.tables == Exposure::kNone) return order;
  const BlockStages stages(checker, lasting, std::move(changing), wanted.lfts.blocks());
  report.stages = stages.count;
  report.tables = Exposure::kNone;
  order = order_tables(fabric, held, wanted.lfts, ops, stages.of_block, threads);
  if (stages.last_is_cyclic)
    check_rounds(checker, lasting, fabric, order, *(order.stage_begins.end() - 2), report);
  return order;
}

/// The order of the writes, if the proof of the new routes shows that the order has no cycle. No
/// further check is then needed, because SLs stay unchanged.
std::optional<TableOrder> order_few_changes(const ChangeExposure& changes, const Fabric& fabric,
                                            const HeldTables& held, const Routes& wanted,
                                            std::span<const Op> ops, unsigned threads) {
  const bool any_order = changes.is_safe_in_any_order();
  TableOrder order = order_tables(fabric, held, wanted.lfts, ops, {}, threads);
  if (any_order || (order.rounds.ends.size() <= kRoundsMax && changes.is_safe_in(order)))
    return order;
  return std::nullopt;
}

}  // namespace

TransitionReport plan_transition(const Fabric& fabric, const HeldTables& held, const Routes& wanted,
                                 const RoutesBefore& before, Plan& plan, unsigned threads,
                                 bool ignore_replies, const DependencyGraph* proved) {
  const Stopwatch watch;
  TransitionReport report;
  std::vector<Op>& ops = plan[Phase::kTables];
  if (ops.empty()) return report;
  std::vector<std::size_t> changing = changing_blocks(fabric, held, ops, wanted.lfts.blocks());
  std::optional<TableOrder> order;
  report.stages = 1;
  if (!changing.empty() && proved != nullptr)
    if (const auto changes =
            ChangeExposure::of(fabric, held, wanted, before, *proved, ops, threads, ignore_replies))
      order = order_few_changes(*changes, fabric, held, wanted, ops, threads);
  if (order) {
    report.tables = Exposure::kNone;
  } else if (!changing.empty()) {
    const ExposureChecker checker(fabric, held, wanted, before, ops, threads, ignore_replies);
    if (checker.has_trees() && checker.is_up_and_down()) {
      report.tables = Exposure::kNone;
      if (checker.lanes_change()) report.lanes = Exposure::kNone;
    } else if (!checker.has_lanes() || !checker.has_trees() || checker.is_too_large()) {
      report.tables = report.lanes = Exposure::kNotVerified;
    } else {
      order = order_with_least_risk(checker, fabric, held, wanted, ops, std::move(changing),
                                    threads, report);
      check_lanes(checker, report);
    }
  }
  if (!order) order = order_tables(fabric, held, wanted.lfts, ops, {}, threads);
  report.rounds = order->rounds.ends.size();
  report.extra_writes = order->extra_writes;
  report.ordered_lids = order->ordered_lids;
  report.unordered_lids = order->unordered_lids;
  ops = std::move(order->ops);
  plan.table_rounds = std::move(order->rounds);
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
        "during the update, up to {} pairs of a channel and a VL are on credit loops of combined "
        "old and new routes{}, for {} of {} rounds: a deadlock is possible, and the lifetime of "
        "packets at the head of a queue ends it",
        report.table_channels, of(report.table_channels_unicast), report.exposed_rounds,
        report.rounds));
  if (report.lanes == Exposure::kCycle)
    warnings.push_back(
        fmt::format("the service levels of {} pairs of a switch and a LID change; until hosts "
                    "query new paths, up to {} pairs of a channel and a VL are on credit loops{}",
                    report.sl_changes, report.lane_channels, of(report.lane_channels_unicast)));
  return warnings;
}

}  // namespace weft
