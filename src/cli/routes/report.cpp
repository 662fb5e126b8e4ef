// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft report FABRIC [-R ENGINE[,ENGINE..]].. -o OUT: writes an HTML page with the fabric and the
// results of each engine, and the plots as files if OUT is a folder.

#include <algorithm>
#include <memory>

#include "base/log.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/output.h"
#include "cli/routes/report_jobs.h"
#include "cli/routes/routing_request.h"
#include "cli/routes/what_if.h"
#include "cli/subcommands.h"
#include "cli/version.h"
#include "report/page.h"
#include "report/page_data.h"
#include "routing/plugin.h"
#include "service/config/options.h"
#include "verify/failure_text.h"

namespace weft::cli {
namespace {

struct ReportOptions {
  FabricArgument fabric;
  Assignments assignments;
  std::string output;
  std::string json;
  std::string title;
  bool png = false;
  std::vector<std::string> traffic{"bisect"};
  std::uint64_t runs = 1000;
  std::uint32_t ranks = 0;
  std::uint32_t first_ranks = 0;
  std::vector<std::string> jobs;  // files and specs
  WhatIfArguments what_if{.size = 0, .trials = 0, .victims = "", .top = 100};
};

/// Returns every engine named by any -R, once, in order. Each engine runs without fallbacks, so
/// no_fallback has no effect.
Result<std::vector<std::string>> engines_of(const Assignments& assignments) {
  std::vector<std::string> engines;
  for (const Assignment& assignment : assignments) {
    if (assignment.key != "routing_engine") continue;
    if (const auto status = load_engine_files(assignment.value); !status) return forward(status);
    const auto choice = parse_engine_choice(assignment.value);
    if (!choice) return forward(choice);
    for (const std::string& engine : choice->engines)
      if (std::ranges::find(engines, engine) == engines.end()) engines.push_back(engine);
  }
  if (engines.empty()) engines.emplace_back(kDefaultEngine);
  return engines;
}

/// The traffic simulated on the routes of every engine.
Result<std::vector<TrafficSpec>> traffic_of(const ReportOptions& options, std::uint64_t seed) {
  std::vector<TrafficSpec> specs;
  for (const std::string& text : options.traffic) {
    auto pattern = parse_traffic(text);
    if (!pattern) return forward(pattern);
    pattern->first_ranks = options.first_ranks;
    if (options.runs > 0) specs.push_back({*pattern, options.ranks, options.runs, seed});
  }
  return specs;
}

/// Removes the warnings that every engine repeats.
std::vector<std::string> without_repeats(const std::vector<std::string>& warnings) {
  std::vector<std::string> once;
  for (const std::string& warning : warnings)
    if (std::ranges::find(once, warning) == once.end()) once.push_back(warning);
  return once;
}

/// What-if study of the failures selected by --failures and --trials, worst first. Omits times,
/// which are not reproducible.
Status add_what_if(Report& report, const ChainResult& chain, const RoutingRequest& request,
                   const ReportOptions& options) {
  const bool verified = verify_mode(request.settings) != VerifyMode::kOff;
  const auto threads = static_cast<unsigned>(request.settings.threads);
  const std::uint64_t pairs =
      (verified ? chain.verdict : verify(report.fabric, chain.routes, {.threads = threads}))
          .ca_to_ca.arrived;
  const auto failures = failures_of(report.fabric, options.what_if, request.settings.seed);
  if (!failures) return forward(failures);
  auto losses = simulate_failures(
      report.fabric, chain.routes, pairs, *failures, router_of(request),
      {.threads = threads, .seed = request.settings.seed, .matchings = options.what_if.matchings});
  sort_worst_first(losses);
  if (losses.size() > options.what_if.top) losses.resize(options.what_if.top);
  report.what_if_of = chain.routes.engine;
  for (const Loss& loss : losses) {
    WhatIfRow row;
    row.name = describe(report.fabric, loss.failure);
    row.channels = loss.failure.cables;
    for (const SwitchId sw : loss.failure.switches)
      for (std::uint32_t i = 0; i < report.fabric.channels_from(sw).size(); ++i)
        row.channels.push_back(ChannelId(report.fabric.first_channel(sw).value() + i));
    row.routed = loss.routed;
    row.pairs_cut = loss.pairs_cut;
    row.pairs_lost = loss.pairs_lost;
    row.ebb_left = loss.ebb;
    row.blocks = loss.blocks;
    row.vls = loss.vls;
    report.what_if.push_back(std::move(row));
  }
  return {};
}

/// Routes with one engine and adds the run. The what-if study is that of the first successful run.
Status add_run(Report& report, const RoutingRequest& request, const ReportOptions& options,
               const std::vector<TrafficSpec>& traffic, std::vector<std::string>& warnings) {
  ChainResult chain = route(request, report.fabric, warnings);
  if (!chain.status) {
    ReportRun failed;
    failed.name = request.choice.engines.front();
    failed.reason =
        chain.failed.empty() ? chain.status.error().message : chain.failed.back().reason;
    report.runs.push_back(std::move(failed));
    return {};
  }
  if (options.what_if.size > 0 && report.what_if_of.empty())
    if (auto status = add_what_if(report, chain, request, options); !status) return status;
  auto jobs = job_spans(report.fabric, chain.routes, options.jobs, request.settings.seed,
                        static_cast<unsigned>(request.settings.threads));
  if (!jobs) return forward(jobs);
  const bool verified = verify_mode(request.settings) != VerifyMode::kOff;
  auto run = make_run(report.fabric, std::move(chain.routes),
                      verified ? std::optional(std::move(chain.verdict)) : std::nullopt,
                      {.threads = static_cast<unsigned>(request.settings.threads),
                       .seed = request.settings.seed,
                       .traffic = traffic});
  if (!run) return forward(run);
  run->jobs = std::move(*jobs);
  report.runs.push_back(std::move(*run));
  return {};
}

/// One line per run.
std::string summary(const Report& report) {
  std::string text;
  for (const ReportRun& run : report.runs) {
    if (!run.has_routes()) {
      text += fmt::format("{:<12} cannot route this fabric: {}\n", run.name, run.reason);
      continue;
    }
    const std::string wrong = failure_text(run.verdict);
    text += fmt::format("{:<12} effective bisection {:.3f}, link load {} at most, {} VL{}, {}\n",
                        run.name, run.quality.ebb, run.quality.link_load_max, run.vls,
                        run.vls == 1 ? "" : "s",
                        !run.verified   ? "not verified"
                        : wrong.empty() ? "verified"
                                        : wrong);
  }
  return text;
}

int run_report(const ReportOptions& options) {
  std::vector<std::string> warnings;
  auto request = read_request(options.assignments, warnings);
  if (!request) return report(request.error());
  const auto engines = engines_of(options.assignments);
  if (!engines) return report(engines.error());
  auto traffic = traffic_of(options, request->settings.seed);
  if (!traffic) return report(traffic.error());
  auto fabric = load_with_lids(options.fabric, *request);
  if (!fabric) return report(fabric.error());

  Report html_report;
  html_report.title = options.title.empty() ? options.fabric.name : options.title;
  html_report.input = options.fabric.name;
  html_report.program = std::string("weft ") + kVersion;
  html_report.fabric = std::move(*fabric);
  if (host_lids(html_report.fabric).size() < 2) traffic->clear();  // traffic needs two hosts
  for (const std::string& engine : *engines) {
    request->choice = {{engine}, false};
    const auto status = add_run(html_report, *request, options, *traffic, warnings);
    if (!status) return report(status.error());
  }
  for (const std::string& warning : without_repeats(warnings)) log::warn("{}", warning);

  const Layout layout = lay_out(make_switch_graph(html_report.fabric));
  if (const auto status = write_report(html_report, layout, options.output, {.png = options.png});
      !status)
    return report(status.error());
  if (!options.json.empty()) {
    const int written = write_to(options.json, [&](const Append& append) {
      append(to_text(page_data(html_report, layout)) + "\n");
    });
    if (written != 0) return written;
  }
  if (options.json != "-") append_to_stdout(summary(html_report));
  const bool any_proved = std::ranges::any_of(html_report.runs, [](const ReportRun& one) {
    return one.has_routes() && (!one.verified || one.verdict.ok());
  });
  return any_proved ? 0 : 1;
}

Run set_up_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  add_fabric(app, options->fabric);
  add_command_options(app, routing_command_options(), options->assignments, offline_defaults());
  app.add_option(
         "-o,--output", options->output,
         "Write the page to this file if it ends in .html; else write the page, its data and an "
         "SVG of each plot to this folder")
      ->required();
  app.add_flag("--png", options->png, "Write a PNG of each plot too (requires rsvg-convert)");
  app.add_option("--json", options->json,
                 "Write the data of the page as JSON to this file, - for standard output");
  app.add_option(
         "--simulate", options->traffic,
         "Simulate this traffic pattern; may be repeated. FIRST+SECOND: performance of the first "
         "beside the second (default: bisect)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--job", options->jobs,
                 "Simulate this job of weft simulate, a file or a spec, and draw its timeline; may "
                 "be repeated: all jobs run at once")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--runs", options->runs,
                 "Set the number of simulated runs per pattern; 0: none (default: 1000)");
  app.add_option("--ranks", options->ranks,
                 "Set the number of hosts in a pattern; 0: all (default: 0)");
  app.add_option("--first-ranks", options->first_ranks,
                 "Set the number of hosts of FIRST in FIRST+SECOND; 0: half of all (default: 0)");
  restrict_to(app.add_option("--what-if", options->what_if.victims,
                             "Simulate failures of links, switches or both, with the first "
                             "successful engine, and list them, worst first"),
              {"cables", "switches", "both"})
      ->each([options](const std::string&) {
        options->what_if.size = std::max(options->what_if.size, 1u);
      });
  app.add_option(
         "--failures", options->what_if.size,
         "Set the number of simultaneous failures; more than 1 requires --trials (default: 1)")
      ->check(CLI::PositiveNumber)
      ->needs("--what-if");
  app.add_option("--trials", options->what_if.trials,
                 "Simulate this many random sets of failures (default: every single failure)")
      ->needs("--what-if");
  app.add_option("--top", options->what_if.top, "List this many failures (default: 100)")
      ->needs("--what-if");
  app.add_option("--title", options->title, "Set the title of the page (default: FABRIC)");
  return [options] { return run_report(*options); };
}

}  // namespace

const Subcommand kReportSubcommand{
    "report", "Write an HTML report: topology, engine comparison, link loads, paths",
    &set_up_report};

}  // namespace weft::cli
