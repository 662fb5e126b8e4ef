#include "sm/transition.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "sm/table_order.h"

namespace weft {

std::string_view name(Exposure exposure) {
  switch (exposure) {
    case Exposure::kNothingChanges:
      return "nothing changes";
    case Exposure::kNone:
      return "none";
    case Exposure::kCycle:
      return "cycle";
    case Exposure::kNotJudged:
      return "not judged";
  }
  return "?";
}

TransitionReport plan_transition(const Fabric& fabric, const HeldTables& held, const Routes& wanted,
                                 const RoutesBefore&, Plan& plan, unsigned threads) {
  const Stopwatch watch;
  TransitionReport report;
  std::vector<Op>& ops = plan[Phase::kTables];
  if (ops.empty()) return report;
  TableOrder order = order_tables(fabric, held, wanted.lfts, ops, {}, threads);
  report.rounds = order.rounds.ends.size();
  report.extra_writes = order.extra_writes;
  report.ordered_lids = order.ordered_lids;
  report.unordered_lids = order.unordered_lids;
  report.stages = 1;
  ops = std::move(order.ops);
  plan.table_rounds = std::move(order.rounds);
  report.tables = report.lanes = Exposure::kNotJudged;
  report.seconds = watch.seconds();
  return report;
}

std::vector<std::string> warnings_of(const TransitionReport& report) {
  std::vector<std::string> warnings;
  if (report.unordered_lids > 0)
    warnings.push_back(fmt::format(
        "{} LIDs have no order of table writes that is free of loops: their routes loop themselves",
        report.unordered_lids));
  return warnings;
}

}  // namespace weft
