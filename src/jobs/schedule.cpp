// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/schedule.h"

#include <algorithm>

namespace weft::jobs {

void ScheduleBuilder::begin_job(ScheduledJob job) {
  if (!schedule_.jobs.empty()) schedule_.jobs.back().end = op_count();
  job.first = op_count();
  schedule_.jobs.push_back(std::move(job));
  begin_phase({});
}

void ScheduleBuilder::begin_phase(const std::string& name) {
  schedule_.phases.push_back({name, job_index()});
}

std::uint32_t ScheduleBuilder::connect(Connection connection) {
  connection.job = job_index();
  schedule_.connections.push_back(connection);
  return static_cast<std::uint32_t>(schedule_.connections.size() - 1);
}

std::uint32_t ScheduleBuilder::add_inner_channel(double bytes_per_picosecond) {
  schedule_.inner_capacity.push_back(bytes_per_picosecond);
  return static_cast<std::uint32_t>(schedule_.inner_capacity.size() - 1);
}

OpId ScheduleBuilder::add(double amount, std::uint32_t connection) {
  Op op;
  op.amount = amount;
  op.connection = connection;
  op.phase = static_cast<std::uint32_t>(schedule_.phases.size() - 1);
  schedule_.ops.push_back(op);
  return op_count() - 1;
}

OpId ScheduleBuilder::send(std::uint32_t connection, double bytes) {
  return add(bytes, connection);
}

OpId ScheduleBuilder::delay(Picoseconds time) { return add(static_cast<double>(time), kDelay); }

OpId ScheduleBuilder::join(std::span<const OpId> ops) {
  const auto is_op = [](OpId op) { return op != kNoOp; };
  const auto count = std::ranges::count_if(ops, is_op);
  if (count == 0) return kNoOp;
  if (count == 1) return *std::ranges::find_if(ops, is_op);
  const OpId all = delay(0);
  for (const OpId op : ops) depend(all, op);
  return all;
}

/// Finds a cycle. `waiting`: by op, the predecessors that have not ended. Each op that waits has a
/// predecessor that waits too, so following predecessors ends in a cycle.
std::vector<OpId> ScheduleBuilder::cycle_among(std::span<const std::uint32_t> waiting) const {
  std::vector<OpId> before(waiting.size(), kNoOp);
  for (OpId op = 0; op < waiting.size(); ++op)
    if (waiting[op] > 0)
      for (const OpId next : schedule_.successors_of(op)) before[next] = op;
  std::vector<bool> seen(waiting.size());
  OpId at = static_cast<OpId>(std::ranges::find_if(waiting, [](auto n) { return n > 0; }) -
                              waiting.begin());
  for (; !seen[at]; at = before[at]) seen[at] = true;
  std::vector<OpId> cycle{at};
  for (OpId op = before[at]; op != at; op = before[op]) cycle.push_back(op);
  std::ranges::reverse(cycle);
  return cycle;
}

Status ScheduleBuilder::check_acyclic(const CycleText& text_of) const {
  std::vector<std::uint32_t> waiting(schedule_.op_count());
  std::vector<OpId> ready;
  for (OpId op = 0; op < schedule_.op_count(); ++op) {
    waiting[op] = schedule_.ops[op].predecessors;
    if (waiting[op] == 0) ready.push_back(op);
  }
  std::uint32_t done = 0;
  while (!ready.empty()) {
    const OpId op = ready.back();
    ready.pop_back();
    ++done;
    for (const OpId next : schedule_.successors_of(op))
      if (--waiting[next] == 0) ready.push_back(next);
  }
  if (done == schedule_.op_count()) return {};
  const std::vector<OpId> cycle = cycle_among(waiting);
  if (const std::string text = text_of ? text_of(cycle) : std::string(); !text.empty())
    return fail(Code::kBadInput, "{}", text);
  const OpId first = std::ranges::min(cycle);
  const ScheduledJob& job = schedule_.jobs[schedule_.phases[schedule_.ops[first].phase].job];
  return fail(Code::kBadInput, "job {}: {} ops depend on each other in a cycle, the first is op {}",
              job.name, cycle.size(), first - job.first);
}

Result<Schedule> ScheduleBuilder::finish(const CycleText& text_of) {
  if (!schedule_.jobs.empty()) schedule_.jobs.back().end = op_count();
  std::vector<Op>& ops = schedule_.ops;
  ops.emplace_back();
  for (const Edge& edge : edges_) {
    ++ops[edge.after].predecessors;
    ++ops[edge.before + 1].first_successor;
  }
  for (std::size_t i = 1; i < ops.size(); ++i) ops[i].first_successor += ops[i - 1].first_successor;
  schedule_.successors.resize(edges_.size());
  std::vector<std::uint32_t> position(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) position[i] = ops[i].first_successor;
  for (const Edge& edge : edges_) schedule_.successors[position[edge.before]++] = edge.after;
  edges_ = {};
  const bool in_order = [&] {
    for (OpId op = 0; op < schedule_.op_count(); ++op)
      for (const OpId next : schedule_.successors_of(op))
        if (next <= op) return false;
    return true;
  }();
  if (!in_order)
    if (auto status = check_acyclic(text_of); !status) return forward(status);
  return std::exchange(schedule_, {});
}

}  // namespace weft::jobs
