// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/sweep/plan.h"

#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "sm/transition/transition.h"
#include "verify/failure_text.h"

namespace weft {

PlanStage::PlanStage(Input input)
    : memory_(input.memory),
      options_(input.options),
      report_(input.report),
      dependencies_(input.dependencies) {
  const Observed& observed = *memory_.observed;
  const Lid sm_lid = input.fabric.endport(observed.self_endport).lid;
  desired_ = std::make_unique<Desired>(Desired{std::move(input.fabric),
                                               std::move(input.routes),
                                               sm_lid,
                                               {},
                                               {},
                                               {},
                                               {},
                                               std::move(input.aliases)});
  desired_->sm_at = manager_by_switch(observed, desired_->fabric);
  if (dependencies_ != nullptr) dependencies_->refer_to(desired_->fabric);
  desired_->reregister = ports_to_reregister();
  desired_->sm_sl = usable_sm_sl(input.verdict);
  desired_->links = all_link_parameters(observed, desired_->fabric, vl_limit(options_),
                                        options_.routing.plain.threads);
  desired_->to_take_down = links_to_take_down();
  desired_->lanes = plan_lanes(observed, desired_->fabric, desired_->routes, vl_limit(options_),
                               options_.qos, options_.use_optimized_slvl);
  for (const std::string& note : desired_->lanes.notes()) warn(report_, note);
  go_on_with(lanes_.emplace(observed, *desired_, memory_.held));
}

std::vector<bool> PlanStage::ports_to_reregister() const {
  const Observed& observed = *memory_.observed;
  memory_.reregistrations.follow(observed, *desired_);
  if (!options_.client_rereg) memory_.reregistrations.disable(observed);
  std::vector<bool> due(observed.fabric.port_count());
  for (const Endport& endport : observed.fabric.endports())
    due[endport.port.value()] = memory_.reregistrations.is_due(observed, endport.port);
  return due;
}

/// Routes without SLs are verified on SL 0. sm_sl is usable if the verifier found that all traffic
/// may use this SL.
std::uint8_t PlanStage::usable_sm_sl(const Verdict& verdict) const {
  const bool named = desired_->routes.path_sl.kind() != PathSl::Kind::kUniform;
  const bool safe = !verdict.verified || (verdict.single_sls >> options_.sm_sl & 1) != 0;
  if (named || safe || options_.sm_sl == 0) return options_.sm_sl;
  warn(report_,
       fmt::format("sm_sl {}: packets on this SL could be discarded or deadlock, expected SL {}: "
                   "SL 0 is used",
                   options_.sm_sl, sl_ranges(verdict.single_sls)));
  return 0;
}

std::vector<PortId> PlanStage::links_to_take_down() const {
  const Observed& observed = *memory_.observed;
  memory_.link_changes.follow(observed);
  std::vector<std::string> kept;
  auto ports = memory_.link_changes.to_take_down(observed, desired_->fabric, desired_->links,
                                                 vl_limit(options_).live_links,
                                                 options_.routing.plain.threads, kept);
  for (const std::string& link : kept) warn(report_, link);
  if (!ports.empty())
    log::info("{} links in use are taken down to change NeighborMTU or OperationalVLs",
              ports.size());
  return ports;
}

bool PlanStage::advance() {
  if (pkeys_) return false;
  go_on_with(pkeys_.emplace(*memory_.observed, desired_->fabric, options_, memory_.held));
  return true;
}

PlanStage::Output PlanStage::output() {
  const Observed& observed = *memory_.observed;
  const Stopwatch watch;
  std::vector<std::string> warnings;
  desired_->pkeys = plan_pkeys(observed, desired_->fabric, options_, memory_.held.pkeys(),
                               desired_->aliases, warnings);
  for (const std::string& warning : warnings) warn(report_, warning);
  auto plan = std::make_unique<Plan>(diff(observed, memory_.held, *desired_, options_));
  for (const std::string& obstacle : plan->obstacles) warn(report_, obstacle);
  if (options_.safe_transitions) order_transition(*plan);
  report_.seconds.diff += watch.seconds();
  return {std::move(desired_), std::move(plan)};
}

TransitionReport PlanStage::ordered(Plan& plan, const DependencyGraph* proved) const {
  RoutesBefore before;
  if (memory_.snapshot) before = {&memory_.snapshot->fabric, &memory_.snapshot->routes};
  return plan_transition(desired_->fabric, memory_.held, desired_->routes, before, plan,
                         options_.routing.plain.threads, options_.routing.plain.ignore_replies,
                         proved);
}

void PlanStage::order_transition(Plan& plan) const {
  const DependencyGraph* const proved =
      dependencies_ == nullptr ? nullptr : &dependencies_->switches;
  if (proved != nullptr && options_.compare_verifications) {
    Plan whole = plan;
    const TransitionReport complete = ordered(whole, nullptr);
    report_.transition = ordered(plan, proved);
    if (complete.tables == Exposure::kCycle && report_.transition.tables == Exposure::kNone)
      report_.verification_difference = fmt::format(
          "no cycle was found in the update of the tables, expected {} pairs of a channel and a VL "
          "on cycles",
          complete.table_channels);
  } else {
    report_.transition = ordered(plan, proved);
  }
  for (const std::string& warning : warnings_of(report_.transition)) warn(report_, warning);
  if (report_.transition.ordered_lids > 0)
    log::info(
        "table update in {} rounds with {} additional writes, ordered to keep {} LIDs free of "
        "loops",
        report_.transition.rounds, report_.transition.extra_writes,
        report_.transition.ordered_lids);
}

}  // namespace weft
