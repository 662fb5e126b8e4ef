// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/flow_simulator.h"

#include <algorithm>
#include <cmath>

#include "jobs/max_min.h"
#include "jobs/time_queue.h"

namespace weft::jobs {
namespace {

/// Kind of an event, in the upper two bits of its stamp.
enum class EventKind : std::uint32_t { kActivate, kDelayEnds, kFlowEnds, kOther };
constexpr unsigned kKindShift = 30;
constexpr std::uint32_t kStampMask = (1U << kKindShift) - 1;
constexpr std::uint32_t kJobStarts = 0;  // stamps of kOther
constexpr std::uint32_t kNetworkChange = 1;

/// Maximum time of a simulation. The sum of this time and the time of an op does not overflow.
constexpr Picoseconds kEndMax = 4 * kOpTimeMax;

Event event_of(EventKind kind, std::uint32_t id, std::uint32_t stamp = 0) {
  return {id, static_cast<std::uint32_t>(kind) << kKindShift | stamp};
}

std::vector<double> capacities_of(const SimulationInput& input) {
  std::vector<double> capacities;
  for (const NetChannel& channel : input.network.channels())
    capacities.push_back(capacity_of(channel));
  const Schedule& schedule = input.schedule;
  capacities.insert(capacities.end(), schedule.inner_capacity.begin(),
                    schedule.inner_capacity.end());
  for (const Stream& stream : schedule.background) capacities.push_back(stream.rate);
  return capacities;
}

class FlowSimulator {
 public:
  explicit FlowSimulator(const SimulationInput& input)
      : input_(input),
        schedule_(input.schedule),
        paths_(input.network, input.schedule, input.paths),
        rates_(capacities_of(input), usage_of(input)) {}

  Result<SimulationResult> run() {
    begin();
    std::vector<Event> events;
    while (jobs_left_ > 0 && status_) {
      settle();
      if (jobs_left_ == 0) break;
      if (queue_.empty()) return error_of_stall();
      now_ = queue_.pop(events);
      if (now_ > kEndMax)
        return fail(Code::kBadInput, "the jobs take more than {:.0f} s", seconds_of(kEndMax));
      rates_.set_time(now_);
      for (const Event& event : events) handle(event);
      start_ready();
    }
    if (!status_) return forward(status_);
    result_.end = now_;
    rates_.account_all();
    return std::move(result_);
  }

 private:
  struct Flow {
    OpId op = kNoOp;
    std::uint32_t stamp = 0;
    double left = 0;  // bytes left at time `since`
    double rate = 0;
    Picoseconds since = 0;
  };

  ChannelUsage* usage_of(const SimulationInput& input) {
    if (!input.with_usage) return nullptr;
    result_.usage.emplace(static_cast<std::uint32_t>(capacities_of(input).size()));
    return &*result_.usage;
  }

  bool takes_part(std::uint32_t job) const { return !input_.only_job || *input_.only_job == job; }

  void begin() {
    waiting_.resize(schedule_.op_count());
    ops_left_.resize(schedule_.jobs.size());
    result_.jobs.resize(schedule_.jobs.size());
    result_.phases.resize(schedule_.phases.size());
    for (std::size_t c = 0; c < input_.changes.size(); ++c)
      queue_.push(input_.changes[c].time,
                  event_of(EventKind::kOther, static_cast<std::uint32_t>(c), kNetworkChange));
    if (!input_.only_job) begin_background();
    for (std::uint32_t j = 0; j < schedule_.jobs.size(); ++j) {
      const ScheduledJob& job = schedule_.jobs[j];
      if (!takes_part(j)) continue;
      ops_left_[j] = job.end - job.first;
      result_.jobs[j].time.start = job.start;
      result_.jobs[j].time.end = job.start;
      if (ops_left_[j] == 0) continue;
      ++jobs_left_;
      for (OpId op = job.first; op < job.end; ++op) waiting_[op] = schedule_.ops[op].predecessors;
      queue_.push(job.start, event_of(EventKind::kOther, j, kJobStarts));
    }
  }

  /// Starts the streams. Each has a channel of its own that limits its rate.
  void begin_background() {
    const auto first = static_cast<std::uint32_t>(input_.network.channel_count() +
                                                  schedule_.inner_capacity.size());
    for (std::uint32_t s = 0; s < schedule_.background.size(); ++s) {
      const Connection& connection = schedule_.background[s].connection;
      std::vector<std::uint32_t> route;
      if (input_.network.walk(connection.from, connection.to, 0, route).end != NetWalkEnd::kArrived)
        continue;
      std::vector<Hop> path{{first + s}};
      for (const std::uint32_t channel : route) path.push_back({channel});
      rates_.add(path);
      ++background_flows_;
    }
  }

  void handle(const Event& event) {
    const auto kind = static_cast<EventKind>(event.stamp >> kKindShift);
    const std::uint32_t stamp = event.stamp & kStampMask;
    switch (kind) {
      case EventKind::kActivate:
        activate(event.id);
        break;
      case EventKind::kDelayEnds:
        end_op(event.id);
        break;
      case EventKind::kFlowEnds:
        if (event.id < flows_.size() && flows_[event.id].stamp == stamp) end_flow(event.id);
        break;
      case EventKind::kOther:
        if (stamp == kJobStarts)
          start_job(event.id);
        else
          change_network(input_.changes[event.id]);
        break;
    }
  }

  void start_job(std::uint32_t j) {
    const ScheduledJob& job = schedule_.jobs[j];
    for (OpId op = job.first; op < job.end; ++op)
      if (schedule_.ops[op].predecessors == 0) ready_.push_back(op);
  }

  void start_ready() {
    // The list grows during the loop.
    for (std::size_t i = 0; i < ready_.size() && status_; ++i) start_op(ready_[i]);
    ready_.clear();
  }

  void start_op(OpId id) {
    const Op& op = schedule_.ops[id];
    Interval& phase = result_.phases[op.phase];
    phase.start = std::min(phase.start, now_);
    if (op.connection == kDelay) {
      const auto time = static_cast<Picoseconds>(op.amount);
      if (time == 0)
        end_op(id);
      else
        queue_.push(now_ + time, event_of(EventKind::kDelayEnds, id));
      return;
    }
    const Connection& connection = schedule_.connections[op.connection];
    const auto hops = paths_.hop_count(connection, op.connection);
    if (!hops) {
      status_ = error_of_job(connection.job, hops.error());
      return;
    }
    if (connection.computes) {
      activate(id);
      return;
    }
    JobRun& run = result_.jobs[connection.job];
    run.messages += op.amount > 0 ? 1 : 0;
    run.bytes += op.amount;
    const ScheduledJob& job = schedule_.jobs[connection.job];
    const Picoseconds latency = job.start_up + *hops * job.hop_latency;
    if (latency == 0)
      activate(id);
    else
      queue_.push(now_ + latency, event_of(EventKind::kActivate, id));
  }

  void activate(OpId id) {
    const Op& op = schedule_.ops[id];
    const Connection& connection = schedule_.connections[op.connection];
    const auto path = paths_.of(connection, op.connection, id, rates_);
    if (!path) {
      status_ = error_of_job(connection.job, path.error());
      return;
    }
    if (path->empty() || op.amount == 0)
      end_op(id);
    else
      add_flow(id, op.amount, *path);
  }

  void add_flow(OpId op, double bytes, std::span<const Hop> path) {
    const MaxMinRates::FlowId id = rates_.add(path);
    if (id >= flows_.size()) flows_.resize(id + 1);
    Flow& flow = flows_[id];
    flow = {op, (flow.stamp + 1) & kStampMask, bytes, 0, now_};
  }

  void end_flow(std::uint32_t id) {
    const OpId op = flows_[id].op;
    remove_flow(id);
    end_op(op);
  }

  void remove_flow(std::uint32_t id) {
    rates_.remove(id);
    flows_[id].op = kNoOp;
    flows_[id].stamp = (flows_[id].stamp + 1) & kStampMask;
  }

  void end_op(OpId id) {
    const Op& op = schedule_.ops[id];
    Interval& phase = result_.phases[op.phase];
    phase.end = std::max(phase.end, now_);
    for (const OpId next : schedule_.successors_of(id))
      if (--waiting_[next] == 0) ready_.push_back(next);
    const std::uint32_t job = schedule_.phases[op.phase].job;
    if (--ops_left_[job] > 0) return;
    result_.jobs[job].time.end = now_;
    --jobs_left_;
  }

  void settle() {
    for (const MaxMinRates::FlowId id : rates_.settle()) {
      if (id < background_flows_) continue;
      Flow& flow = flows_[id];
      flow.left = std::max(0.0, flow.left - flow.rate * static_cast<double>(now_ - flow.since));
      flow.since = now_;
      flow.rate = rates_.rate(id);
      flow.stamp = (flow.stamp + 1) & kStampMask;
      ++result_.rate_changes;
      const double time = flow.left / flow.rate;
      if (time < static_cast<double>(kOpTimeMax))
        queue_.push(now_ + std::llround(time), event_of(EventKind::kFlowEnds, id, flow.stamp));
    }
  }

  void change_network(const NetworkChange& change) {
    for (const std::uint32_t channel : change.failed) rates_.set_capacity(channel, 0);
    if (change.network == nullptr) return;
    paths_.set_network(*change.network);
    for (std::uint32_t id = background_flows_; id < flows_.size() && status_; ++id) {
      const OpId op = flows_[id].op;
      if (op == kNoOp) continue;
      Flow& flow = flows_[id];
      const double left =
          std::max(0.0, flow.left - flow.rate * static_cast<double>(now_ - flow.since));
      remove_flow(id);
      rerouted_.push_back({op, left});
    }
    for (const auto& [op, left] : std::exchange(rerouted_, {})) {
      const std::uint32_t connection = schedule_.ops[op].connection;
      const auto path = paths_.of(schedule_.connections[connection], connection, op, rates_);
      if (!path) {
        status_ = error_of_job(schedule_.connections[connection].job, path.error());
        return;
      }
      add_flow(op, left, *path);
    }
  }

  tl::unexpected<Error> error_of_job(std::uint32_t job, const Error& error) const {
    return fail(error.code, "job {}: {}", schedule_.jobs[job].name, error.message);
  }

  tl::unexpected<Error> error_of_stall() const {
    for (const Flow& flow : flows_) {
      if (flow.op == kNoOp) continue;
      const Connection& connection = schedule_.connections[schedule_.ops[flow.op].connection];
      const RoutedNetwork& network = input_.network;
      const std::string message =
          fmt::format("job {}: the message from {} to {}", schedule_.jobs[connection.job].name,
                      network.describe_node(network.node_of_host(connection.from)),
                      network.describe_node(network.node_of_host(connection.to)));
      if (flow.rate > 0)
        return fail(Code::kBadInput, "{} takes more than {:.0f} s", message,
                    seconds_of(kOpTimeMax));
      return fail(Code::kUnroutable,
                  "{} never ends: a channel of its path failed, and no route avoids it", message);
    }
    return fail(Code::kUnroutable, "the jobs never end");
  }

  const SimulationInput& input_;
  const Schedule& schedule_;
  SimulationResult result_;
  Paths paths_;
  MaxMinRates rates_;
  TimeQueue queue_;
  Picoseconds now_ = 0;
  Status status_;
  std::vector<std::uint32_t> waiting_;   // by op: number of predecessors that have not ended
  std::vector<std::uint32_t> ops_left_;  // by job
  std::uint32_t jobs_left_ = 0;
  std::uint32_t background_flows_ = 0;  // number; these flows have the lowest ids
  std::vector<Flow> flows_;             // by id
  std::vector<OpId> ready_;
  std::vector<std::pair<OpId, double>> rerouted_;
};

}  // namespace

Result<SimulationResult> simulate_flows(const SimulationInput& input) {
  return FlowSimulator(input).run();
}

}  // namespace weft::jobs
