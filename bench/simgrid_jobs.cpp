// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures the times of Weft's flow simulator and of SimGrid for the same messages of a job:
// simgrid_jobs FABRIC ENGINE JOB RATIO. The times exclude the construction of the schedule and of
// the platform. SimGrid is ended after a minute plus RATIO times the time of Weft.
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/text.h"
#include "jobs/build.h"
#include "jobs/flow_simulator.h"
#include "jobs/input/job_file.h"
#include "second_simulator/simgrid_run.h"
#include "support/fabric_of.h"
#include "support/routed_by.h"

using namespace weft;

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 4 || !parse_number<unsigned>(words[3])) {
    fmt::print(stderr, "usage: simgrid_jobs FABRIC ENGINE JOB RATIO\n");
    return 2;
  }
  const Fabric fabric = fabric_of(words[0]);
  const Routes routes = routed_by(words[1], fabric);
  const auto network = network_of(fabric, routes.lfts);
  const auto workload = jobs::read_workload(std::span(words).subspan(2, 1));
  const auto refuse = [](const Error& error) {
    fmt::print(stderr, "simgrid_jobs: {}\n", error.message);
    return exit_status(error);
  };
  if (!network) return refuse(network.error());
  if (!workload) return refuse(workload.error());
  const auto built = jobs::build_workload(*network, *workload, 1);
  if (!built) return refuse(built.error());
  const auto begin = std::chrono::steady_clock::now();
  const auto own = jobs::simulate_flows({.network = *network, .schedule = built->schedule});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (!own) return refuse(own.error());
  fmt::print("{{\"messages\": {}, \"weft\": {{\"job_seconds\": {}, \"elapsed\": {}}}",
             own->jobs[0].messages, jobs::seconds_of(own->jobs[0].time.end), elapsed.count());
  std::fflush(stdout);
  const unsigned limit_s =
      60 + static_cast<unsigned>(*parse_number<unsigned>(words[3]) * elapsed.count());
  const auto other = jobs::run_in_simgrid(*network, built->schedule, limit_s);
  if (!other) return refuse(other.error());
  fmt::print(", \"simgrid\": {{\"ended\": {}, \"job_seconds\": {}, \"elapsed\": {}}}}}\n",
             other->has_ended, other->has_ended ? other->job_ends[0] : 0, other->elapsed);
  return 0;
}
