// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft route FABRIC -R ENGINE[,ENGINE..][,no_fallback] [-o DIR]: routes offline, verifies,
// measures, and writes all dumps.

#include <memory>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/common.h"
#include "cli/routes/quality_text.h"
#include "cli/routes/quality_values.h"
#include "cli/routes/routing_request.h"
#include "cli/subcommands.h"
#include "congestion/quality/quality.h"
#include "fabric/planes.h"
#include "policy/group_file.h"
#include "routes/dump/dot.h"
#include "service/config/options.h"
#include "sm/dumps.h"

namespace weft::cli {
namespace {

struct RouteOptions {
  FabricArgument fabric;
  Assignments assignments;
  std::string directory;
  std::string dot;
  bool psl = false;
  bool allow_empty = false;
  PatternArguments patterns;
  std::string quality_values;
  bool json = false;
};

struct Outcome {
  ChainResult chain;
  bool verified = true;
  Quality quality;
  std::vector<std::string> warnings;  // about files, and options that the engine does not support
  double read_seconds = 0;
  double quality_seconds = 0;
  double write_seconds = 0;
};

/// JSON report if all engines failed.
Json failure_json(const std::string& requested, const Fabric& fabric, const ChainResult& chain) {
  return {{"requested", requested},
          {"engine", nullptr},
          {"fallbacks", attempts_json(chain.failed)},
          {"parts", parts_json(chain.parts)},
          {"error", chain.status.error().message},
          {"fabric", fabric_json(fabric)}};
}

Json to_json(const std::string& requested, const Fabric& fabric, const Outcome& outcome) {
  return {{"requested", requested},
          {"engine", outcome.chain.routes.engine},
          {"fallbacks", attempts_json(outcome.chain.failed)},
          {"choice", outcome.chain.choice.empty() ? Json() : Json(outcome.chain.choice)},
          {"parts", parts_json(outcome.chain.parts)},
          {"fabric", fabric_json(fabric)},
          {"seconds",
           {{"read", outcome.read_seconds},
            {"route", outcome.chain.route_seconds},
            {"verify", outcome.chain.verify_seconds},
            {"quality", outcome.quality_seconds},
            {"write", outcome.write_seconds}}},
          {"vls", outcome.chain.routes.vls},
          {"vls_needed", outcome.chain.routes.vls_needed},
          {"notes", outcome.chain.routes.notes},
          {"adaptive", adaptive_json(outcome.chain.routes)},
          {"steps", steps_json(outcome.chain.routes.steps)},
          {"verify", !outcome.verified ? Json() : verdict_json(fabric, outcome.chain.verdict)},
          {"quality", quality_json(outcome.quality)},
          {"warnings", outcome.warnings},
          {"peak_rss_bytes", peak_rss_bytes()}};
}

std::string route_text(const Fabric& fabric, const Outcome& outcome) {
  std::string text = fmt::format("fabric              {} switches, {} CAs, {} links\n",
                                 fabric.switch_count(), fabric.ca_count(), fabric.link_count());
  text += fnm_text(fabric);
  for (const EngineAttempt& attempt : outcome.chain.failed)
    text += fmt::format("{:<19} failed: {}\n", attempt.engine, attempt.reason);
  if (!outcome.chain.choice.empty() && outcome.chain.parts.size() < 2)
    text += fmt::format("chosen              {}\n", outcome.chain.choice);
  text += parts_text(outcome.chain);
  text += fmt::format("routed by           {} in {:.4f} s, {} VL{}\n", outcome.chain.routes.engine,
                      outcome.chain.route_seconds, outcome.chain.routes.vls,
                      outcome.chain.routes.vls == 1 ? "" : "s");
  text += steps_text(outcome.chain.routes.steps);
  for (const std::string& note : outcome.chain.routes.notes)
    text += fmt::format("note                {}\n", note);
  text += quality_text(outcome.quality);
  if (outcome.verified) text += adaptive_text(outcome.chain.routes);
  if (outcome.verified) text += verdict_text(fabric, outcome.chain.verdict);
  return text;
}

int run_route(const RouteOptions& options) {
  std::vector<std::string> warnings;
  const auto request = read_request(options.assignments, warnings);
  if (!request) return report(request.error());
  const Settings& settings = request->settings;
  Outcome outcome;
  const Stopwatch reading;
  const auto fabric = load_with_lids(options.fabric, *request);
  if (!fabric) return report(fabric.error());
  outcome.read_seconds = reading.seconds();

  outcome.verified = verify_mode(settings) != VerifyMode::kOff;
  outcome.chain = route(*request, *fabric, warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  for (const std::string& warning : outcome.chain.warnings) {
    log::warn("{}", warning);
    warnings.push_back(warning);
  }
  outcome.warnings = std::move(warnings);
  if (outcome.chain.parts.size() > 1 && !parts_are_planes(*fabric))
    log::warn("{}", describe_parts(outcome.chain));
  for (const EngineAttempt& attempt : outcome.chain.failed)
    log::warn("routing engine '{}' failed: {}", attempt.engine, attempt.reason);
  if (!outcome.chain.status) {
    if (options.json)
      print(failure_json(requested_engines(settings, request->choice), *fabric, outcome.chain));
    return report(outcome.chain.status.error());
  }
  const Stopwatch assessing;
  const QualityOptions quality{
      .threads = static_cast<unsigned>(settings.threads), .seed = settings.seed, .bound = true};
  outcome.quality =
      assess(*fabric, outcome.chain.routes, quality_options(quality, options.patterns, *fabric));
  outcome.quality_seconds = assessing.seconds();

  if (!options.directory.empty()) {
    const Stopwatch writing;
    std::vector<std::string> repeated;  // logged during routing
    const auto groups = resolve_groups(request->inputs.groups, *fabric, repeated);
    const auto status = write_dumps(*fabric, outcome.chain.routes, options.directory,
                                    {.groups = groups,
                                     .psl_always = options.psl,
                                     .threads = static_cast<unsigned>(settings.threads)});
    if (!status) return report(status.error());
    outcome.write_seconds = writing.seconds();
  }
  if (!options.quality_values.empty())
    if (const auto status = write_quality_values(*fabric, outcome.quality, options.quality_values);
        !status)
      return report(status.error());
  if (!options.dot.empty()) {
    const auto status = write_file(options.dot, [&](const Append& append) {
      write_dot_routes(*fabric, outcome.chain.routes, append);
    });
    if (!status) return report(status.error());
  }
  if (options.json) {
    print(to_json(requested_engines(settings, request->choice), *fabric, outcome));
  } else {
    append_to_stdout(route_text(*fabric, outcome));
  }
  const Verdict& verdict = outcome.chain.verdict;
  return !outcome.verified || passes(verdict, options.allow_empty) ? 0 : 1;
}

Run set_up_route(CLI::App& app) {
  auto options = std::make_shared<RouteOptions>();
  add_fabric(app, options->fabric);
  add_command_options(app, routing_command_options(), options->assignments, offline_defaults());
  app.add_option("-o,--output", options->directory,
                 "Write the dumps to this folder (default: no dumps)");
  app.add_option("--dot", options->dot, "Write the routed graph for ORCS to this file");
  app.add_flag("--psl", options->psl, "Write weft.psl also for fabrics of more than 2000 CAs");
  add_allow_empty(app, options->allow_empty);
  add_patterns(app, options->patterns);
  app.add_option("--quality-values", options->quality_values,
                 "Write the values from which the quality figures follow to this file: bandwidths "
                 "by matching and shift, lengths of channels that prove the lower bounds");
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run_route(*options); };
}

}  // namespace

const Subcommand kRouteSubcommand{
    "route", "Route a fabric file offline, verify the routes, write the dumps", &set_up_route};

}  // namespace weft::cli
