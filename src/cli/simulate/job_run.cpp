// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/simulate/job_run.h"

#include <algorithm>
#include <optional>

#include "base/log.h"
#include "base/parallel.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/simulate/job_failures.h"
#include "cli/simulate/job_report.h"
#include "cli/team.h"
#include "congestion/blob.h"
#include "jobs/input/job_file.h"

namespace weft::cli {
namespace {

/// Encodes the results of a piece of the runs, or the error of the first failed run.
std::vector<std::byte> encode(std::uint64_t first, const std::vector<jobs::RunOutcome>& runs,
                              const std::optional<Error>& error) {
  BlobWriter blob;
  blob.value(error ? static_cast<int>(error->code) : -1);
  blob.text(error ? error->message : std::string{});
  blob.value(first);
  blob.value(runs.size());
  for (const jobs::RunOutcome& run : runs) {
    blob.value(run.end);
    blob.value(run.rate_changes);
    blob.array(run.jobs);
  }
  return blob.take();
}

/// Stores the runs of a piece by their number. Returns false if `error` is set, before or by this
/// piece, or if the piece cannot be decoded.
bool decode(std::span<const std::byte> bytes, std::vector<jobs::RunOutcome>& runs,
            std::optional<Error>& error) {
  BlobReader blob(bytes);
  int code = -1;
  std::string message;
  std::uint64_t first = 0;
  std::size_t count = 0;
  blob.value(code);
  blob.text(message);
  blob.value(first);
  blob.value(count);
  if (code >= 0 && !error) error = Error{static_cast<Code>(code), message};
  for (std::size_t r = 0; r < count && blob.good(); ++r) {
    if (first + r >= runs.size()) return false;
    blob.value(runs[first + r].end);
    blob.value(runs[first + r].rate_changes);
    blob.array(runs[first + r].jobs);
  }
  return blob.at_end() && !error;
}

/// Simulates the runs `begin` to `end` - 1, a piece of the runs 1 and above, which the team shares;
/// the leader simulates run 0.
std::vector<std::byte> simulate_piece(const jobs::JobStudy& study, std::uint64_t begin,
                                      std::uint64_t end, unsigned threads) {
  std::vector<std::optional<Result<jobs::RunOutcome>>> results(end - begin);
  parallel_for(results.size(), threads,
               [&](std::size_t i) { results[i] = simulate_run(study, begin + i, 1, nullptr); });
  std::vector<jobs::RunOutcome> runs;
  for (const auto& result : results) {
    if (!*result) return encode(begin, {}, result->error());
    runs.push_back(**result);
  }
  return encode(begin, runs, {});
}

int write_reports(const JobReport& job, const SimulateArguments& arguments) {
  int status = write_to(arguments.output, [&](const Append& append) {
    append(arguments.json ? dump(jobs_json(job)) : jobs_text(job));
  });
  const auto write = [&](const std::string& path, const auto& text) {
    if (status == 0 && !path.empty())
      status = write_to(path, [&](const Append& append) { append(text()); });
  };
  write(arguments.jobs_csv, [&] { return jobs_csv(job); });
  write(arguments.links_csv, [&] { return links_csv(job); });
  write(arguments.picture, [&] { return links_picture(job, arguments.fabric.name); });
  return status;
}

/// The workload of the options, read by each process of the team.
Result<jobs::Workload> load_workload(const SimulateArguments& arguments) {
  if (arguments.adaptive == "compare")
    return fail(Code::kUsage, "--job: found --adaptive compare, expected static, greedy or split");
  auto workload = jobs::read_workload(arguments.jobs);
  if (workload && !workload->failures.empty() && team().size() > 1)
    return fail(Code::kUsage, "{}: failures with several MPI processes, expected one process",
                workload->failures.front().where);
  return workload;
}

Result<NetworkChanges> changes_of(const SimulateArguments& arguments, const LoadedNetwork& loaded,
                                  const std::vector<jobs::FailureSpec>& failures) {
  if (failures.empty()) return NetworkChanges{};
  if (!loaded.fabric || !arguments.lfts.empty())
    return fail(Code::kUsage,
                "{}: failures need routes that Weft computes again: expected a fabric with -R",
                failures.front().where);
  std::vector<std::string> warnings;  // reported when the fabric was routed
  const auto request = read_request(arguments.routing, warnings, settings_of(arguments));
  if (!request) return forward(request);
  return network_changes({*loaded.fabric, loaded.network, loaded.routes, *request}, failures,
                         arguments.seed);
}

}  // namespace

jobs::PathOptions path_options(const SimulateArguments& arguments) {
  jobs::PathOptions options;
  options.spread = arguments.paths == "source"   ? jobs::Spread::kBySource
                   : arguments.paths == "random" ? jobs::Spread::kRandom
                   : arguments.paths == "all"    ? jobs::Spread::kAll
                                                 : jobs::Spread::kBase;
  options.selection = arguments.adaptive == "static"  ? jobs::PortSelection::kStatic
                      : arguments.adaptive == "split" ? jobs::PortSelection::kSplit
                                                      : jobs::PortSelection::kGreedy;
  return options;
}

int run_jobs(const SimulateArguments& arguments, const LoadedNetwork& loaded) {
  const auto refuse = [](const Error& error) {
    return team().is_leader() ? report(error) : exit_status(error);
  };
  const auto workload = load_workload(arguments);
  if (!workload) return refuse(workload.error());
  const auto changes = changes_of(arguments, loaded, workload->failures);
  if (!changes) return refuse(changes.error());
  if (team().is_leader() && std::ranges::any_of(loaded.network.channels(),
                                                [](const NetChannel& c) { return c.rate == 0; }))
    log::warn("--job: links without a rate are simulated as 4x EDR, 100 Gbit/s");
  const jobs::JobStudy study{.network = loaded.network,
                             .workload = *workload,
                             .paths = path_options(arguments),
                             .changes = changes->changes,
                             .seed = arguments.seed};
  const std::uint64_t count = runs_max(arguments);
  JobReport job{.network = loaded.network,
                .workload = *workload,
                .seed = arguments.seed,
                .runs = std::vector<jobs::RunOutcome>(count),
                .details = {},
                .changes = changes->changes};
  std::optional<Error> error;
  if (team().is_leader()) {
    auto first = simulate_run(study, 0, arguments.threads, &job.details);
    if (first)
      job.runs[0] = std::move(*first);
    else
      error = first.error();
  }
  const std::atomic<bool>& interrupted = catch_interrupts();
  const bool whole =
      count == 1 ||
      team().share(
          count - 1,
          [&](std::uint64_t begin, std::uint64_t end) {
            return simulate_piece(study, begin + 1, end + 1, arguments.threads);
          },
          [&](std::span<const std::byte> bytes) { return decode(bytes, job.runs, error); },
          interrupted);
  if (!team().is_leader()) return 0;
  if (error) return report(*error);
  if (!whole) {
    log::warn("no results: the simulation was interrupted, or a process sent an invalid result");
    team().abandon();
    return 1;
  }
  return write_reports(job, arguments);
}

}  // namespace weft::cli
