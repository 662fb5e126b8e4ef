// weft report FABRIC [-R ENGINE[,ENGINE..]].. -o OUT: a page that shows the fabric and what each
// engine makes of it, with the plots as files if OUT is a folder.

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/routing_arguments.h"
#include "cli/version.h"
#include "report/page.h"
#include "report/page_data.h"
#include "service/options.h"

namespace weft::cli {
namespace {

struct Options {
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
};

/// Every engine that any -R names, once, in order. Each is shown by itself: no_fallback is what
/// happens anyway.
Result<std::vector<std::string>> engines_of(const Assignments& assignments) {
  std::vector<std::string> engines;
  for (const Assignment& assignment : assignments) {
    if (assignment.key != "routing_engine") continue;
    const auto choice = parse_engine_choice(assignment.value);
    if (!choice) return forward(choice);
    for (const std::string& engine : choice->engines)
      if (std::ranges::find(engines, engine) == engines.end()) engines.push_back(engine);
  }
  if (engines.empty()) engines.emplace_back(kDefaultEngine);
  return engines;
}

/// What is simulated on the routes of every engine.
Result<std::vector<TrafficSpec>> traffic_of(const Options& options, std::uint64_t seed) {
  std::vector<TrafficSpec> specs;
  for (const std::string& text : options.traffic) {
    auto pattern = parse_traffic(text);
    if (!pattern) return forward(pattern);
    pattern->first_ranks = options.first_ranks;
    if (options.runs > 0) specs.push_back({*pattern, options.ranks, options.runs, seed});
  }
  return specs;
}

Result<ReportRun> run_engine(const Fabric& fabric, const std::string& engine,
                             const Settings& settings, const RoutingOptions& routing,
                             std::span<const Option> given,
                             const std::vector<TrafficSpec>& traffic) {
  ChainResult chain = route_by_chain(fabric, {{engine}, false}, routing, verify_mode(settings),
                                     &find_engine, given);
  for (const std::string& warning : chain.warnings) log::warn("{}", warning);
  if (!chain.status) {
    ReportRun failed;
    failed.name = engine;
    failed.reason =
        chain.failed.empty() ? chain.status.error().message : chain.failed.back().reason;
    return failed;
  }
  const bool judged = verify_mode(settings) != VerifyMode::kOff;
  return make_run(fabric, std::move(chain.routes),
                  judged ? std::optional(std::move(chain.verdict)) : std::nullopt,
                  {.threads = static_cast<unsigned>(settings.threads),
                   .seed = settings.seed,
                   .traffic = traffic});
}

/// One line a run.
std::string summary(const Report& report) {
  std::string text;
  for (const ReportRun& run : report.runs) {
    if (!run.served()) {
      text += fmt::format("{:<12} does not route this fabric: {}\n", run.name, run.reason);
      continue;
    }
    const std::string wrong = complaint(run.verdict);
    text += fmt::format("{:<12} effective bisection {:.3f}, link load {} at most, {} VL{}, {}\n",
                        run.name, run.quality.ebb, run.quality.link_load_max, run.vls,
                        run.vls == 1 ? "" : "s",
                        !run.judged     ? "not judged"
                        : wrong.empty() ? "sound"
                                        : wrong);
  }
  return text;
}

int run(const Options& options) {
  std::vector<std::string> warnings;
  Settings settings;
  settings.verify = "warn";  // nothing is programmed: show what each engine does, and judge it
  if (const auto status = assign_all(options.assignments, settings, warnings); !status)
    return report(status.error());
  const auto engines = engines_of(options.assignments);
  if (!engines) return report(engines.error());
  auto traffic = traffic_of(options, settings.seed);
  if (!traffic) return report(traffic.error());
  auto input = load(options.fabric);
  if (!input) return report(input.error());
  auto fabric = with_all_lids(input->fabric, static_cast<std::uint8_t>(settings.lmc));
  if (!fabric) return report(fabric.error());
  const auto inputs = routing_inputs(settings, warnings);
  if (!inputs) return report(inputs.error());
  const RoutingOptions routing = resolve(*inputs, *fabric, warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);

  Report report_of;
  report_of.title = options.title.empty() ? options.fabric.name : options.title;
  report_of.input = options.fabric.name;
  report_of.program = std::string("weft ") + kVersion;
  report_of.fabric = std::move(*fabric);
  if (host_lids(report_of.fabric).size() < 2) traffic->clear();  // nobody to talk to
  for (const std::string& engine : *engines) {
    auto one = run_engine(report_of.fabric, engine, settings, routing, given(*inputs), *traffic);
    if (!one) return report(one.error());
    report_of.runs.push_back(std::move(*one));
  }

  if (const auto status = write_report(report_of, options.output, {.png = options.png}); !status)
    return report(status.error());
  if (!options.json.empty()) {
    const Layout layout = lay_out(make_switch_graph(report_of.fabric));
    const std::string json = to_text(page_data(report_of, layout)) + "\n";
    if (options.json == "-") {
      append_to_stdout(json);
    } else if (const auto status = write_file(options.json, json); !status) {
      return report(status.error());
    }
  }
  if (options.json != "-") append_to_stdout(summary(report_of));
  const bool sound = std::ranges::any_of(report_of.runs, [](const ReportRun& one) {
    return one.served() && (!one.judged || one.verdict.ok());
  });
  return sound ? 0 : 1;
}

}  // namespace

Run add_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_fabric(app, options->fabric);
  add_command_options(app, routing_command_options(), options->assignments);
  app.add_option(
         "-o,--output", options->output,
         "The page, if it ends in .html; else a folder for the page, its data and an SVG of "
         "each plot")
      ->required();
  app.add_flag("--png", options->png, "A PNG of each plot too (wants rsvg-convert)");
  app.add_option("--json", options->json,
                 "Write what the page shows as JSON; - for standard output");
  app.add_option("--simulate", options->traffic,
                 "Traffic pattern to simulate (bisect); may be given several times. FIRST+SECOND: "
                 "how the first fares beside the second")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--runs", options->runs, "Simulated runs of each pattern (1000); 0 for none");
  app.add_option("--ranks", options->ranks, "Hosts that take part in a pattern (0: all)");
  app.add_option("--first-ranks", options->first_ranks,
                 "Hosts of FIRST in FIRST+SECOND (0: half of them)");
  app.add_option("--title", options->title, "Of the page; by default FABRIC as it was given");
  return [options] { return run(*options); };
}

}  // namespace weft::cli
