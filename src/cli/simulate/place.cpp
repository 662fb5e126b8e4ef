// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft place FABRIC --job SPEC --free HOSTLIST: the hosts on which a job takes the least time, and
// the order of its ranks.

#include <memory>

#include "base/log.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/simulate/job_run.h"
#include "cli/simulate/place_report.h"
#include "cli/subcommands.h"
#include "jobs/job_fields.h"

namespace weft::cli {
namespace {

struct PlaceArguments {
  SimulateArguments network;  // FABRIC, its routes, --paths, --adaptive, --seed, --threads
  std::string job;
  std::vector<std::string> running;
  std::string free;
  std::uint64_t simulations = 0;
  std::string format = "text";
};

int run_place(const PlaceArguments& arguments) {
  const auto workload = read_place_jobs(arguments.job, arguments.running);
  if (!workload) return report(workload.error());
  const auto loaded = load_network(arguments.network);
  if (!loaded) return report(loaded.error());
  const std::atomic<bool>& interrupted = catch_interrupts();
  auto result = jobs::place_job({.network = loaded->network,
                                 .workload = *workload,
                                 .free = arguments.free,
                                 .paths = path_options(arguments.network),
                                 .seed = arguments.network.seed,
                                 .simulations = arguments.simulations,
                                 .threads = arguments.network.threads,
                                 .stop = &interrupted});
  if (!result) return report(result.error());
  const PlaceReport placed{loaded->network, workload->jobs.front(), arguments.network.seed,
                           std::move(*result)};
  if (placed.result.is_partial)
    log::warn("interrupted: this is the best of {} placements", placed.result.simulations);
  const std::string& format = arguments.network.json ? "json" : arguments.format;
  const auto text = format == "json"   ? Result<std::string>(dump(place_json(placed)))
                    : format == "text" ? Result<std::string>(place_text(placed))
                                       : place_file(placed, format);
  if (!text) return report(text.error());
  const int status =
      write_to(arguments.network.output, [&](const Append& append) { append(*text); });
  return status == 0 && placed.result.is_partial ? 1 : status;
}

Run set_up_place(CLI::App& app) {
  auto arguments = std::make_shared<PlaceArguments>();
  SimulateArguments& network = arguments->network;
  add_fabric(app, network.fabric);
  app.add_option("--job", arguments->job,
                 "Place this job, a file or WORK[:ALGORITHM][,KEY=VALUE...]")
      ->required();
  app.add_option("--free", arguments->free,
                 "Select among these hosts: a hostlist such as n[01-16], or file:PATH with a name, "
                 "label or GUID on each line")
      ->required();
  app.add_option("--running", arguments->running,
                 "Simulate this job too, on its hosts; may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--simulations", arguments->simulations,
                 "Set the maximum number of placements to simulate; 0: by the messages of the job, "
                 "24 to 1000 (default: 0)");
  restrict_to(app.add_option("--to", arguments->format,
                             "Write a report, or a file for weft simulate (hosts), mpirun or srun "
                             "(default: text)"),
              {"text", "json", "hosts", "hostfile", "rankfile", "slurm"});
  app.add_flag("--json", network.json, "Report as one JSON object, as --to json")->excludes("--to");
  app.add_option("-o,--output", network.output, "Write to this file (default: standard output)");
  add_tables(app, network);
  restrict_to(app.add_option("--paths", network.paths,
                             "Select among the 2^LMC paths of a message: base LID, by source, at "
                             "random, or split over all (default: base)"),
              {"base", "source", "random", "all"});
  restrict_to(app.add_option("--adaptive", network.adaptive,
                             "Set the port selection of AR-capable switches (-R ar_..): static "
                             "routes, least loaded port (greedy), or even split (default: greedy)"),
              {"static", "greedy", "split"});
  app.add_option("--seed", network.seed, "Set the random seed (default: 0)");
  app.add_option(
      "--threads", network.threads,
      "Set the number of threads, without effect on the results; 0: one per core (default: 0)");
  add_routing(app, network.routing);
  app.footer(jobs::jobs_help());
  return [arguments] { return run_place(*arguments); };
}

}  // namespace

const Subcommand kPlaceSubcommand{
    "place", "Select the hosts on which a job takes the least time, and order its ranks",
    &set_up_place};

}  // namespace weft::cli
