// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/study.h"

#include <optional>

#include "base/parallel.h"
#include "jobs/collectives/collectives.h"

namespace weft::jobs {
namespace {

SimulationInput variant_of(const JobStudy& study, const BuiltWorkload& built, std::uint64_t seed) {
  SimulationInput input{.network = study.network,
                        .schedule = built.schedule,
                        .paths = study.paths,
                        .changes = {},
                        .only_job = {}};
  input.paths.seed = seed;
  return input;
}

Picoseconds time_of(const SimulationResult& result, std::size_t job) {
  return result.jobs[job].time.end - result.jobs[job].time.start;
}

}  // namespace

std::uint64_t seed_of_run(std::uint64_t seed, std::uint64_t run) {
  return Rng(seed).fork(run).next();
}

Result<RunOutcome> simulate_run(const JobStudy& study, std::uint64_t run, unsigned threads,
                                Details* details) {
  const std::uint64_t seed = seed_of_run(study.seed, run);
  auto built = build_workload(study.network, study.workload, seed);
  if (!built) return forward(built);
  const std::size_t jobs = study.workload.jobs.size();
  // Variant 0 simulates all jobs together. Then follow one variant for each job on the crossbar,
  // and one for each job alone on the network. The last kind is left out if variant 0 has a single
  // job without background and failures.
  const bool is_alone = jobs == 1 && study.workload.background.empty() && study.changes.empty();
  std::vector<std::optional<Result<SimulationResult>>> results(1 + (is_alone ? 1 : 2) * jobs);
  parallel_for(results.size(), threads, [&](std::size_t v) {
    SimulationInput input = variant_of(study, *built, seed);
    if (v == 0) {
      input.changes = study.changes;
      input.with_usage = details != nullptr && study.with_usage;
    } else {
      input.only_job = static_cast<std::uint32_t>((v - 1) % jobs);
      input.paths.crossbar = v <= jobs;
    }
    results[v] = simulate_flows(input);
  });
  RunOutcome outcome;
  for (const auto& result : results)
    if (!*result) return forward(*result);
  const SimulationResult& together = **results[0];
  for (std::size_t j = 0; j < jobs; ++j) {
    JobOutcome job;
    job.ranks = static_cast<std::uint32_t>(built->jobs[j].places.size());
    job.start = together.jobs[j].time.start;
    job.time = time_of(together, j);
    job.crossbar = time_of(**results[1 + j], j);
    job.alone = is_alone ? job.time : time_of(**results[1 + jobs + j], j);
    job.messages = together.jobs[j].messages;
    job.bytes = together.jobs[j].bytes;
    outcome.jobs.push_back(job);
  }
  outcome.end = together.end;
  outcome.rate_changes = together.rate_changes;
  if (details != nullptr) *details = {std::move(*built), std::move(**results[0])};
  return outcome;
}

double algorithm_bandwidth(const JobSpec& job, double seconds) {
  return seconds > 0 ? static_cast<double>(job.bytes) * job.repeat / seconds : 0;
}

double bus_bandwidth(const JobSpec& job, std::uint32_t ranks, double seconds) {
  return algorithm_bandwidth(job, seconds) * bus_factor(job.work, ranks);
}

}  // namespace weft::jobs
