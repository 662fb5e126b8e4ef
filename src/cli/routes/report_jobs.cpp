// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/routes/report_jobs.h"

#include "congestion/routed_network.h"
#include "jobs/input/job_file.h"
#include "jobs/study.h"

namespace weft::cli {

Result<std::vector<TimeSpan>> job_spans(const Fabric& fabric, const Routes& routes,
                                        const std::vector<std::string>& jobs, std::uint64_t seed,
                                        unsigned threads) {
  std::vector<TimeSpan> spans;
  if (jobs.empty()) return spans;
  const auto workload = jobs::read_workload(jobs);
  if (!workload) return forward(workload);
  if (!workload->failures.empty())
    return fail(Code::kUsage, "{}: a report simulates no failures: use weft simulate --job",
                workload->failures.front().where);
  const auto network = network_of(fabric, routes);
  if (!network) return forward(network);
  const jobs::JobStudy study{
      .network = *network, .workload = *workload, .seed = seed, .with_usage = false};
  jobs::Details details;
  const auto run = simulate_run(study, 0, threads, &details);
  if (!run) return forward(run);
  const jobs::SimulationResult& result = details.together;
  for (std::size_t j = 0; j < workload->jobs.size(); ++j) {
    const auto add = [&](const std::string& name, const jobs::Interval& time) {
      spans.push_back({name, jobs::seconds_of(time.start), jobs::seconds_of(time.end)});
    };
    add(workload->jobs[j].name, result.jobs[j].time);
    for (std::size_t p = 0; p < result.phases.size(); ++p) {
      const jobs::Phase& phase = details.built.schedule.phases[p];
      if (phase.job == j && !phase.name.empty() && result.phases[p].start != jobs::kNever)
        add(phase.name, result.phases[p]);
    }
  }
  return spans;
}

}  // namespace weft::cli
