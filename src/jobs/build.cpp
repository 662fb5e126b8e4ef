// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/build.h"

#include <numeric>

#include "jobs/collectives/collectives.h"
#include "jobs/paths.h"
#include "jobs/ranks.h"
#include "jobs/traces/trace.h"
#include "jobs/training.h"

namespace weft::jobs {
namespace {

Result<Trace> read_trace(const JobSpec& job) {
  if (job.work == Work::kGoal) return read_goal(job.file);
  if (job.work == Work::kChakra) return read_chakra(job.file);
  return Trace{};
}

/// The number of ranks of a job; 0: as many as its hosts have (ranks_of_job()).
Result<std::uint32_t> rank_count(const JobSpec& job, const Trace& trace) {
  if (job.work == Work::kTraining) return ranks_of(job.training);
  if (!trace.ranks.empty()) return static_cast<std::uint32_t>(trace.ranks.size());
  if (job.ranks == 1)
    return fail(Code::kBadInput, "{}: ranks: found 1, expected at least 2", job.where);
  return job.ranks;
}

void add_collectives(Ranks& ranks, const JobSpec& job, std::uint64_t seed,
                     std::vector<Front>& fronts) {
  if (job.work == Work::kTraining) {
    add_training_step(ranks, job.training, fronts);
    return;
  }
  if (job.work == Work::kPipeline) {
    TrainingSpec stages = job.training;
    stages.pipeline = ranks.count();
    stages.pipeline_bytes = job.bytes;
    add_training_step(ranks, stages, fronts);
    return;
  }
  Group all(ranks.count());
  std::iota(all.begin(), all.end(), 0U);
  CollectiveSpec spec = collective_of(job);
  spec.seed = seed;
  add_collective(ranks, all, spec, fronts);
}

/// An estimate of the number of ops, so that a job that is too large fails with a message.
double op_estimate(const JobSpec& job, double n) {
  switch (job.work) {
    case Work::kAllToAll:
      return n * n;
    case Work::kTraining: {
      const TrainingSpec& t = job.training;
      const double batches = t.micro_batches == 0 ? t.pipeline : t.micro_batches;
      const double tensor = t.tensor_bytes > 0 ? 4.0 * t.tensor * t.layers * batches : 0;
      const double expert = t.expert_bytes > 0 ? 4.0 * t.expert * t.layers * batches : 0;
      return n * (2.0 * t.data * job.channels + 4 * batches + tensor + expert);
    }
    case Work::kPipeline:
      return n * 6 * std::max<double>(n, job.training.micro_batches);
    default:
      return job.algorithm == Algorithm::kRing   ? 2 * n * n * job.channels
             : job.algorithm == Algorithm::kTree ? n * 8192
                                                 : n * 64;
  }
}

class WorkloadBuilder {
 public:
  WorkloadBuilder(const RoutedNetwork& network, const Workload& workload, std::uint64_t seed,
                  std::span<const Servers> servers)
      : network_(network),
        workload_(workload),
        seed_(seed),
        known_servers_(servers),
        taken_(network.host_count()) {}

  Result<BuiltWorkload> build() {
    for (std::size_t j = 0; j < workload_.jobs.size(); ++j)
      if (auto status = add_job(workload_.jobs[j], j); !status) return forward(status);
    for (std::size_t b = 0; b < workload_.background.size(); ++b)
      if (auto status = add_background(workload_.background[b], b); !status) return forward(status);
    auto schedule = builder_.finish([&](std::span<const OpId> cycle) {
      std::string text;
      for (const auto& [first, trace] : traces_)
        if (text.empty()) text = cycle_text(trace, first, cycle);
      return text;
    });
    if (!schedule) return forward(schedule);
    built_.schedule = std::move(*schedule);
    return std::move(built_);
  }

 private:
  Status add_job(const JobSpec& job, std::size_t index) {
    auto trace = read_trace(job);
    if (!trace) return forward(trace);
    const auto wanted = rank_count(job, *trace);
    if (!wanted) return forward(wanted);
    const Servers found =
        known_servers_.empty() ? find_servers(network_, job.placement.server_hosts) : Servers{};
    const Servers& servers = known_servers_.empty() ? found : known_servers_[index];
    const std::uint64_t seed = job.seed.value_or(seed_);
    auto places = place_ranks(network_, job, servers, *wanted, taken_, Rng(seed).fork(2 * index));
    if (!places) return forward(places);
    const double ops = op_estimate(job, static_cast<double>(places->size())) * job.repeat;
    if (ops + builder_.op_count() > ScheduleBuilder::kOpsMax)
      return fail(
          Code::kBadInput,
          "{}: found about {:.3g} messages with those of all earlier jobs, expected at most {}",
          job.where, ops + builder_.op_count(), ScheduleBuilder::kOpsMax);
    if (places->size() < 2)
      return fail(Code::kBadInput, "{}: found {} ranks, expected at least 2", job.where,
                  places->size());
    builder_.begin_job({.name = job.name,
                        .start = job.start,
                        .start_up = job.start_up,
                        .hop_latency = job.hop_latency});
    built_.jobs.push_back({*places});
    Ranks ranks(builder_, job, servers, std::move(*places));
    if (!trace->ranks.empty()) {
      traces_.emplace_back(builder_.op_count(), std::move(*trace));
      return add_trace(ranks, traces_.back().second);
    }
    std::vector<Front> fronts(ranks.count(), kNoFront);
    for (std::uint32_t round = 0; round < job.repeat; ++round)
      add_collectives(ranks, job, Rng(seed).fork(2 * index + 1).next(), fronts);
    return {};
  }

  /// Adds streams: each sending host divides its load among streams to randomly selected hosts.
  Status add_background(const BackgroundSpec& spec, std::size_t index) {
    std::vector<std::uint32_t> hosts;
    for (std::uint32_t h = 0; h < network_.host_count(); ++h)
      if (spec.all_hosts || !taken_[h]) hosts.push_back(h);
    if (hosts.size() < 2)
      return fail(Code::kBadInput, "{}: found {} hosts for background traffic, expected 2 or more",
                  spec.where, hosts.size());
    Rng rng = Rng(seed_).fork(1'000'000 + index);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto channels = network_.channels_from(network_.node_of_host(hosts[i]));
      if (channels.empty()) continue;
      for (std::uint32_t f = 0; f < spec.flows; ++f) {
        std::size_t to = rng.below(hosts.size() - 1);
        if (to >= i) ++to;
        Stream stream;
        stream.connection.from = hosts[i];
        stream.connection.to = hosts[to];
        stream.rate = capacity_of(channels.front()) * spec.load / spec.flows;
        builder_.add_background(stream);
      }
    }
    return {};
  }

  const RoutedNetwork& network_;
  const Workload& workload_;
  std::uint64_t seed_;
  std::span<const Servers> known_servers_;  // by job; may be empty
  std::vector<bool> taken_;                 // by host
  ScheduleBuilder builder_;
  std::vector<std::pair<OpId, Trace>> traces_;  // first op of each trace, and the trace
  BuiltWorkload built_;
};

}  // namespace

Result<BuiltWorkload> build_workload(const RoutedNetwork& network, const Workload& workload,
                                     std::uint64_t seed, std::span<const Servers> servers) {
  return WorkloadBuilder(network, workload, seed, servers).build();
}

Result<std::uint32_t> ranks_of_job(const JobSpec& job) {
  const auto trace = read_trace(job);
  if (!trace) return forward(trace);
  return rank_count(job, *trace);
}

}  // namespace weft::jobs
