// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The time of jobs and their placement, as `weft simulate --job` and `weft place` compute them.

#include <pybind11/stl.h>

#include "base/parallel.h"
#include "cli/simulate/job_failures.h"
#include "cli/simulate/job_report.h"
#include "cli/simulate/job_run.h"
#include "cli/simulate/place_report.h"
#include "jobs/input/job_file.h"
#include "python/bindings.h"
#include "python/engines.h"
#include "python/failure.h"
#include "python/handles.h"
#include "python/task.h"

namespace py = pybind11;

namespace weft::python {
namespace {

struct JobText {
  std::string json;
  std::string text;
};

cli::SimulateArguments arguments_of(std::vector<std::string> specs, const std::string& paths,
                                    const std::string& adaptive, std::uint64_t seed,
                                    unsigned threads) {
  cli::SimulateArguments arguments;
  arguments.jobs = std::move(specs);
  arguments.paths = paths;
  arguments.adaptive = adaptive;
  arguments.seed = seed;
  arguments.threads = threads;
  return arguments;
}

/// `routes`: the routes of the network; no value if no engine computed them.
cli::NetworkChanges changes_of(const RoutedNetwork& network,
                               const std::optional<RoutesHandle>& routes,
                               const jobs::Workload& workload, std::uint64_t seed) {
  if (workload.failures.empty()) return {};
  if (!routes || !routes->request)
    take(Status(fail(Code::kUsage, "{}: failures need routes of Fabric.route()",
                     workload.failures.front().where)));
  return take(cli::network_changes(
      {*routes->fabric, network, *routes->routes, *routes->request, &find_engine_of_task},
      workload.failures, seed));
}

JobText simulate_workload(const RoutedNetwork& network, const std::optional<RoutesHandle>& routes,
                          const cli::SimulateArguments& arguments, Task& task) {
  const jobs::Workload workload = take(jobs::read_workload(arguments.jobs));
  const auto changes = changes_of(network, routes, workload, arguments.seed);
  const jobs::JobStudy study{.network = network,
                             .workload = workload,
                             .paths = cli::path_options(arguments),
                             .changes = changes.changes,
                             .seed = arguments.seed};
  const std::uint64_t count = cli::runs_max(arguments);
  cli::JobReport report{.network = network,
                        .workload = workload,
                        .seed = arguments.seed,
                        .runs = std::vector<jobs::RunOutcome>(count),
                        .details = {},
                        .changes = changes.changes};
  report.runs[0] = take(jobs::simulate_run(study, 0, arguments.threads, &report.details));
  task.report(1, count);
  // Simulates in pieces, so that a signal can end the simulation between them.
  constexpr std::uint64_t kPiece = 64;
  for (std::uint64_t first = 1; first < count; first += kPiece) {
    throw_if_cancelled();
    const std::uint64_t size = std::min(kPiece, count - first);
    std::vector<std::optional<Result<jobs::RunOutcome>>> results(size);
    parallel_for(size, arguments.threads, [&](std::size_t i) {
      results[i] = jobs::simulate_run(study, first + i, 1, nullptr);
    });
    for (std::uint64_t i = 0; i < size; ++i) report.runs[first + i] = take(std::move(*results[i]));
    task.report(first + size, count);
  }
  return {cli::dump(cli::jobs_json(report)), cli::jobs_text(report)};
}

py::tuple simulate_jobs(const NetworkHandle& handle, std::optional<RoutesHandle> routes,
                        std::vector<std::pair<std::string, py::object>> engines,
                        std::vector<std::string> specs, std::uint64_t runs,
                        const std::string& paths, const std::string& adaptive, std::uint64_t seed,
                        unsigned threads, const py::object& progress) {
  auto arguments = arguments_of(std::move(specs), paths, adaptive, seed, threads);
  arguments.runs = runs;
  const JobText result =
      compute([network = handle.network, routes = std::move(routes), arguments](
                  Task& task) { return simulate_workload(*network, routes, arguments, task); },
              progress, std::make_shared<EngineTask>(std::move(engines), false));
  return py::make_tuple(py::bytes(result.json), py::bytes(result.text));
}

JobText place_workload(const RoutedNetwork& network, const cli::SimulateArguments& arguments,
                       const std::string& free, std::uint64_t simulations, Task& task) {
  const jobs::Workload workload = take(cli::read_place_jobs(
      arguments.jobs.front(), {arguments.jobs.begin() + 1, arguments.jobs.end()}));
  auto result = take(jobs::place_job(
      {.network = network,
       .workload = workload,
       .free = free,
       .paths = cli::path_options(arguments),
       .seed = arguments.seed,
       .simulations = simulations,
       .threads = arguments.threads,
       .stop = &task.flag(),
       .progress = [&](std::uint64_t done, std::uint64_t total) { task.report(done, total); }}));
  throw_if_cancelled();
  const cli::PlaceReport report{network, workload.jobs.front(), arguments.seed, std::move(result)};
  return {cli::dump(cli::place_json(report)), cli::place_text(report)};
}

py::tuple place(const NetworkHandle& handle, std::vector<std::string> specs,
                const std::string& free, std::uint64_t simulations, const std::string& paths,
                const std::string& adaptive, std::uint64_t seed, unsigned threads,
                const py::object& progress) {
  const auto arguments = arguments_of(std::move(specs), paths, adaptive, seed, threads);
  const JobText result = compute(
      [network = handle.network, arguments, free, simulations](Task& task) {
        return place_workload(*network, arguments, free, simulations, task);
      },
      progress);
  return py::make_tuple(py::bytes(result.json), py::bytes(result.text));
}

}  // namespace

void bind_jobs(py::module_& module) {
  module.def("simulate_jobs", &simulate_jobs);
  module.def("place", &place);
}

}  // namespace weft::python
