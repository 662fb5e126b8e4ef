// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/apply.h"

#include <algorithm>
#include <span>

#include "sm/discovery/busy.h"
#include "sm/discovery/directed.h"
#include "sm/programming/phase_table.h"
#include "sm/programming/program_ports.h"

namespace weft {
namespace {

/// The ends of the rounds of a phase; the last round ends with the phase.
std::span<const std::size_t> round_ends(const Plan& plan, Phase phase) {
  if (phase == Phase::kTables) return plan.table_rounds.ends;
  if (phase == Phase::kTakeDown) return plan.take_down_ends;
  return {};
}

}  // namespace

PlanExecution::PlanExecution(const Plan& plan, Observed& observed, HeldTables& held,
                             KnownKeys& keys, Desired& desired, const SmOptions& options)
    : programming_{plan, desired, options, observed, held, keys},
      health_(desired.fabric.node_count(), Health::kGood) {
  for (std::size_t p = 0; p < kPhaseCount; ++p) {
    Round round{static_cast<Phase>(p), 0, 0, 0};
    const auto add_up_to = [&](std::size_t end) {
      round.end = end;
      rounds_.push_back(round);
      round.begin = end;
      ++round.number;
    };
    for (const std::size_t end : round_ends(plan, round.phase)) add_up_to(end);
    if (const std::size_t size = plan[round.phase].size(); round.begin < size) add_up_to(size);
  }
}

/// Writes of later rounds depend on earlier rounds. After a failure, later writes for the same LIDs
/// would be unsafe, so these writes are left to the next sweep.
bool PlanExecution::is_unsafe(const PlannedOp& planned, std::size_t round) const {
  if (planned.phase != Phase::kTables) return false;
  const std::uint16_t block = planned.op.index;
  return block < unsafe_from_.size() && unsafe_from_[block] <= rounds_[round].number;
}

void PlanExecution::mark_unsafe(const ProgramRequest& request) {
  const Round& round = rounds_[request.round];
  if (round.phase != Phase::kTables) return;
  const std::uint16_t block = op_of(request).op.index;
  if (block >= unsafe_from_.size()) unsafe_from_.resize(block + std::size_t{1}, ~std::size_t{0});
  unsafe_from_[block] = std::min(unsafe_from_[block], round.number + 1);
}

bool PlanExecution::skips(const ProgramRequest& request) {
  const PlannedOp planned = op_of(request);
  const bool silent = health_[planned.op.node] == Health::kSilent;
  if (silent || is_unsafe(planned, request.round)) {
    if (silent) mark_unsafe(request);
    ++report_.skipped;
    if (planned.phase == Phase::kTables) ++report_.unwritten_blocks;
    return true;
  }
  const PhaseRules& rules = rules_of(planned.phase);
  if (rules.is_done != nullptr && rules.is_done(programming_, planned)) return true;
  if (!rules.needs_tables || !lacks_tables_at_link(planned)) return false;
  ++report_.held_back;
  return true;
}

/// True if a node at an end of the link has incomplete tables or stopped answering: the link must
/// not carry data.
bool PlanExecution::lacks_tables_at_link(const PlannedOp& planned) const {
  const auto lacks_tables = [&](NodeId node) { return health_[node.value()] >= Health::kNoTables; };
  const Fabric& fabric = programming_.desired.fabric;
  const PortId peer = fabric.port(programming_.port_id(planned)).peer;
  return lacks_tables(planned.node()) || (peer != kNoPort && lacks_tables(fabric.port(peer).node));
}

void PlanExecution::fill(const ProgramRequest& request, Smp& smp) {
  const PlannedOp planned = op_of(request);
  const auto step = static_cast<PortStep>(request.step);
  if (step != PortStep::kFirst) return fill_port_step(programming_, planned, step, smp);
  rules_of(planned.phase).fill(programming_, planned, smp);
}

unsigned PlanExecution::on_answer(const ProgramRequest& request, const Smp& answer) {
  const PlannedOp planned = op_of(request);
  const PhaseRules& rules = rules_of(planned.phase);
  const auto step = static_cast<PortStep>(request.step);
  const auto next_step = [&] {
    return static_cast<unsigned>(next_port_step(programming_, planned, step));
  };
  if (step == PortStep::kReadState) {
    const std::string why = confirm_port_state(programming_, planned, answer);
    if (why.empty()) return count_done(planned.phase), 0;
    if (const unsigned next = next_step(); next != 0) return next;
    return count_failure(request, why, Failure::kRefused), 0;
  }
  if (answer.status == mad_status::kInvalidField)
    if (const unsigned next = next_step(); next != 0) return next;
  if (answer.status != mad_status::kGood) {
    count_failure(request, status_text(answer.status),
                  is_busy(answer) ? Failure::kBusy : Failure::kRefused);
    return 0;
  }
  if (step == PortStep::kPlain)
    programming_.observed.nodes[planned.op.node].refuses_extended_speeds = true;
  const std::string why =
      rules.confirm == nullptr ? "" : rules.confirm(programming_, planned, answer);
  if (!why.empty() && rules.refusal == Refusal::kFails) {
    count_failure(request, why, Failure::kRefused);
    return 0;
  }
  count_done(planned.phase);
  if (!why.empty()) report_refusal(planned, why);
  return 0;
}

void PlanExecution::on_failure(const ProgramRequest& request, const Error& why) {
  count_failure(request, why.message, Failure::kSilent);
}

bool PlanExecution::is_tolerated(const PlannedOp& planned, Failure how) const {
  const PhaseRules& rules = rules_of(planned.phase);
  // The link of a retraining port may go down before the answer is sent; the next sweep checks the
  // link.
  if (how != Failure::kRefused && !rules.retrains) return false;
  return rules.refusal == Refusal::kTolerated || (rules.refusal == Refusal::kToleratedIfNotNeeded &&
                                                  !programming_.desired.lanes.is_needed());
}

void PlanExecution::report_refusal(const PlannedOp& planned, const std::string& why) {
  const PhaseRules& rules = rules_of(planned.phase);
  if (rules.cost_of_refusal.empty()) return;
  const bool suppressed =
      rules.is_sl2vl && programming_.options.qos.suppress_sl2vl_mad_status_errors;
  if (report_.tolerated_refusals++ < kFailuresNamed && !suppressed)
    report_.refusals.push_back(
        fmt::format("{}: {}: {}: {}", describe(programming_.desired.fabric.node(planned.node())),
                    rules.subject(planned), why, rules.cost_of_refusal));
}

/// Advice for a node that answers no Set although it answers Gets: its M_Key may be hidden.
std::string PlanExecution::hidden_key_of(const PlannedOp& planned) const {
  for (const PortInfo& info : programming_.observed.nodes[planned.op.node].ports)
    if (hides_key(info)) return "; " + unlock_advice(info);
  return {};
}

void PlanExecution::count_failure(const ProgramRequest& request, const std::string& why,
                                  Failure how) {
  const PlannedOp planned = op_of(request);
  const PhaseRules& rules = rules_of(planned.phase);
  mark_unsafe(request);
  if (planned.phase == Phase::kTables) ++report_.unwritten_blocks;
  if (rules.on_failure != nullptr) rules.on_failure(programming_, planned);
  if (is_tolerated(planned, how)) {
    if (rules.on_refusal != nullptr) rules.on_refusal(programming_, planned);
    report_refusal(planned, why);
    return;
  }
  ++report_.failed;
  const bool silent = how == Failure::kSilent;
  if (how == Failure::kRefused) ++report_.refused;
  if (how == Failure::kRefused &&
      std::ranges::find(report_.refusing_nodes, planned.node()) == report_.refusing_nodes.end())
    report_.refusing_nodes.push_back(planned.node());
  Health& health = health_[planned.op.node];
  if (health == Health::kGood) {
    report_.failed_nodes.push_back(planned.node());
    if (report_.failures.size() < kFailuresNamed)
      report_.failures.push_back(
          fmt::format("{}: {}: {}{}", describe(programming_.desired.fabric.node(planned.node())),
                      rules.subject(planned), why, silent ? hidden_key_of(planned) : ""));
  }
  health = std::max(health, silent                ? Health::kSilent
                            : rules.writes_tables ? Health::kNoTables
                                                  : Health::kFailed);
}

}  // namespace weft
