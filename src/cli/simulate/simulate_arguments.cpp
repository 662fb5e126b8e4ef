// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/simulate/simulate_arguments.h"

#include <array>
#include <filesystem>

#include "base/log.h"
#include "base/text.h"
#include "cli/routes/routing_request.h"
#include "cli/version_text.h"
#include "fabric/generators/spec.h"
#include "jobs/job_fields.h"
#include "routes/dump/read.h"
#include "service/config/options.h"

namespace weft::cli {
namespace {

/// The options of `weft route` with long names only, because options of ORCS use most of the
/// letters.
std::vector<CommandOption> routing_options() {
  std::vector<CommandOption> options;
  for (CommandOption option : routing_command_options()) {
    constexpr std::array<std::string_view, 4> kElsewhere{"seed", "threads", "verify",
                                                         "multicast_groups_file"};
    if (std::ranges::find(kElsewhere, option.key) != kElsewhere.end()) continue;
    if (option.key != "routing_engine") option.names.remove_prefix(option.names.find("--"));
    options.push_back(option);
  }
  return options;
}

/// Whether a file begins like a Graphviz graph.
Result<bool> is_graph(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return forward(lines);
  std::string head;
  std::string_view line;
  while (head.size() < 4096) {
    const auto more = lines->next(line);
    if (!more) return forward(more);
    if (!*more) break;
    head.append(line.substr(0, 4096)).push_back('\n');
  }
  return looks_like_dot(head);
}

Result<LoadedNetwork> load_graph(const SimulateArguments& arguments) {
  auto lines = LineReader::open(arguments.fabric.name);
  if (!lines) return forward(lines);
  const auto metric = parse_metric(arguments.metric);
  if (!metric) return forward(metric);
  LoadedNetwork loaded;
  if (*metric == Metric::kCableCong) loaded.echo.emplace();
  Warnings warnings;
  auto network = read_routed_dot(*lines, warnings, loaded.echo ? &*loaded.echo : nullptr);
  log(warnings);
  if (!network) return forward(network);
  loaded.network = std::move(*network);
  return loaded;
}

Result<Routes> read_tables(const Fabric& fabric, const SimulateArguments& arguments) {
  Warnings warnings;
  auto lfts = read_lfts_by_guid(fabric, arguments.lfts, warnings);
  if (!lfts) {
    log(warnings);
    return forward(lfts);
  }
  Routes routes;
  routes.lfts = std::move(*lfts);
  if (!arguments.adaptive_tables.empty()) {
    auto adaptive = read_adaptive(fabric, arguments.adaptive_tables, warnings);
    if (!adaptive) return forward(adaptive);
    routes.adaptive = std::move(*adaptive);
  }
  log(warnings);
  return routes;
}

Result<Routes> find_routes(const RoutingRequest& request, const Fabric& fabric,
                           std::vector<std::string>& warnings) {
  ChainResult chain = route(request, fabric, warnings);
  warnings.insert(warnings.end(), chain.warnings.begin(), chain.warnings.end());
  for (const EngineAttempt& attempt : chain.failed)
    warnings.push_back(
        fmt::format("routing engine '{}' failed: {}", attempt.engine, attempt.reason));
  if (!chain.status) return forward(chain.status);
  return std::move(chain.routes);
}

Result<LoadedNetwork> load_fabric(const SimulateArguments& arguments) {
  std::vector<std::string> warnings;
  const auto request = read_request(arguments.routing, warnings, settings_of(arguments));
  if (!request) return forward(request);
  auto fabric = load_with_lids(arguments.fabric, *request);
  if (!fabric) return forward(fabric);
  auto routes = arguments.lfts.empty() ? find_routes(*request, *fabric, warnings)
                                       : read_tables(*fabric, arguments);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!routes) return forward(routes);
  LoadedNetwork loaded;
  loaded.routes = std::move(*routes);
  auto network = network_of(*fabric, loaded.routes);
  if (!network) return forward(network);
  loaded.network = std::move(*network);
  loaded.fabric = std::move(*fabric);
  return loaded;
}

void add_study(CLI::App& app, SimulateArguments& a) {
  app.add_option("-p,--ptrn", a.pattern.name,
                 "Simulate this communication pattern, see below (default: bisect)");
  app.add_option("-f,--frstptrn,--ptrnfst", a.pattern.first,
                 "Set the first pattern of ptrnvsptrn (default: null)");
  app.add_option("-c,--secptrn", a.pattern.second,
                 "Set the second pattern of ptrnvsptrn (default: null)");
  app.add_option(
      "-z,--part_commsize", a.pattern.first_ranks,
      "Set the number of hosts of the first pattern of ptrnvsptrn; 0: half of all (default: 0)");
  app.add_option("-s,--commsize", a.ranks,
                 "Set the number of participating hosts; 0: all (default: 0)");
  app.add_option("-n,--num_runs", a.runs, "Set the number of simulation runs (default: 1)");
  app.add_option(
      "--until-error", a.until_error,
      "Run until the 99% error of the average is at most this value; -n then limits the runs "
      "(default: no target; limit 1000000)");
  app.add_option("-l,--ptrn_level", a.level,
                 "Simulate only this level of the pattern, from 0 (default: all)");
  app.add_option("--subset", a.subset,
                 "Select the hosts: linear_bfs, rand, guid_asc, guid_desc, or file:PATH with one "
                 "name, label or GUID per line (default: linear_bfs)");
  restrict_to(
      app.add_option("--mapping", a.mapping,
                     "Map ranks to hosts in a new random order in each run, or in the order "
                     "of the subset (default: random)"),
      {"random", "linear"});
  app.add_option("--metric", a.metric,
                 "Report this metric: sum_max_cong, hist_max_cong, hist_acc_band, dep_max_delay, "
                 "get_cable_cong (or get_cong_map), fair_band, worst_permutation (default: "
                 "sum_max_cong)");
  restrict_to(app.add_option("--paths", a.paths,
                             "Select among the 2^LMC paths of a message: base LID, by source, at "
                             "random, or split over all (default: base)"),
              {"base", "source", "random", "all"});
  restrict_to(
      app.add_option("--adaptive", a.adaptive,
                     "Set the port selection of AR-capable switches (-R ar_..): static "
                     "routes, least loaded port (greedy), even split, or a comparison of the "
                     "three (default: greedy)"),
      {"static", "greedy", "split", "compare"});
  app.add_option("--svg", a.picture,
                 "With --adaptive compare: write a plot of the bandwidth of the runs to this file; "
                 "with --job: of the busiest links over time");
  app.add_flag("--link-rates", a.link_rates,
               "Use the link rates of the fabric (default: all equal)");
  app.add_option("--seed", a.seed, "Set the random seed (default: 0)");
}

/// A what-if study covers all pairs with the tables of an engine: options that select messages or
/// tables exclude it.
void exclude_traffic_with_failures(CLI::App& app) {
  for (const char* option :
       {"--lfts", "--ptrn", "--frstptrn", "--secptrn", "--part_commsize", "--commsize",
        "--num_runs", "--ptrn_level", "--subset", "--mapping", "--metric", "--paths",
        "--link-rates", "--adaptive", "--svg", "--until-error", "--printptrn", "--printnamelist"})
    app.get_option("--failures")->excludes(app.get_option(option));
}

/// Jobs have their own messages and placement: options of patterns exclude them.
void add_jobs(CLI::App& app, SimulateArguments& a) {
  CLI::Option* job = app.add_option(
      "--job", a.jobs,
      "Simulate the time of this job, a file or WORK[:ALGORITHM][,KEY=VALUE...], instead of a "
      "pattern; may be given several times");
  job->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--jobs-csv", a.jobs_csv, "With --job: write a row for each run and job")
      ->needs(job);
  app.add_option("--links-csv", a.links_csv,
                 "With --job: write the utilisation of the busiest links over time")
      ->needs(job);
  for (const char* option :
       {"--ptrn", "--frstptrn", "--secptrn", "--part_commsize", "--commsize", "--ptrn_level",
        "--subset", "--mapping", "--metric", "--link-rates", "--until-error", "--printptrn",
        "--printnamelist", "--verbose", "--failures"})
    job->excludes(app.get_option(option));
}

}  // namespace

void add_tables(CLI::App& app, SimulateArguments& a) {
  app.add_option("--lfts", a.lfts,
                 "Read the forwarding tables of the fabric from this file (formats as for verify)");
  app.add_option("--ar", a.adaptive_tables,
                 "With --lfts: read adaptive-routing groups from this file (weft.ar)")
      ->needs("--lfts");
}

void add_routing(CLI::App& app, Assignments& routing) {
  static const std::vector<CommandOption> kRouting = routing_options();
  add_command_options(app, kRouting, routing, offline_defaults());
}

void add_simulate_arguments(CLI::App& app, SimulateArguments& a) {
  app.set_version_flag("-V,--version", version_text("weft"));
  add_fabric(app, a.fabric);
  app.get_option("FABRIC")->required(false);
  a.fabric.name = "-";
  app.add_option("-i,--input_file", a.fabric.name,
                 "Read this routed graph (as for ORCS) or fabric, as FABRIC; - for standard input "
                 "(default: -)");
  app.add_option("-o,--output_file", a.output, "Write to this file instead of standard output");
  add_tables(app, a);
  add_study(app, a);
  app.add_flag("--printptrn", a.print_pattern, "Print the pattern, level by level");
  app.add_flag("--printnamelist", a.print_hosts, "Print the participating hosts");
  app.add_option(
      "--threads", a.threads,
      "Set the number of threads, without effect on the results; 0: one per core (default: 0)");
  app.add_flag("-v,--verbose", a.verbose, "Report each simulated level");
  app.add_flag("--json", a.json, "Report as one JSON object");
  add_what_if(app, a.what_if);
  exclude_traffic_with_failures(app);
  add_jobs(app, a);
  add_routing(app, a.routing);
  app.footer(patterns_help() + "\n" + jobs::jobs_help());
}

Settings settings_of(const SimulateArguments& arguments) {
  Settings settings;
  settings.threads = static_cast<decltype(settings.threads)>(arguments.threads);
  settings.seed = arguments.seed;
  return settings;
}

Result<LoadedNetwork> load_network(const SimulateArguments& arguments) {
  const std::string& name = arguments.fabric.name;
  const bool is_fabric = !arguments.routing.empty() || !arguments.lfts.empty();
  if (!is_fabric && name == "-") return load_graph(arguments);
  std::error_code ignored;
  const bool is_spec = !std::filesystem::exists(name, ignored) && looks_like_spec(name);
  if (!is_fabric && !is_spec) {
    const auto graph = is_graph(name);
    if (!graph) return forward(graph);
    if (*graph) return load_graph(arguments);
  }
  return load_fabric(arguments);
}

std::uint64_t runs_max(const SimulateArguments& arguments) {
  return arguments.runs.value_or(arguments.until_error ? 1'000'000 : 1);
}

Result<StudySpec> study_spec(const SimulateArguments& arguments) {
  StudySpec spec;
  spec.pattern = arguments.pattern;
  spec.ranks = arguments.ranks;
  auto subset = parse_subset(arguments.subset);
  if (!subset) return forward(subset);
  spec.subset = std::move(*subset);
  spec.shuffle = arguments.mapping == "random";
  spec.level = arguments.level;
  spec.paths = arguments.paths == "source"   ? PathChoice::kBySource
               : arguments.paths == "random" ? PathChoice::kRandom
               : arguments.paths == "all"    ? PathChoice::kAll
                                             : PathChoice::kBase;
  spec.link_rates = arguments.link_rates;
  spec.port_policy = arguments.adaptive == "static"  ? PortPolicy::kStatic
                     : arguments.adaptive == "split" ? PortPolicy::kSplit
                                                     : PortPolicy::kGreedy;
  const auto metric = parse_metric(arguments.metric);
  if (!metric) return forward(metric);
  if (arguments.until_error) {
    if (!has_values_by_run(*metric))
      return fail(Code::kUsage, "--until-error: metric {} has no average over runs",
                  arguments.metric);
    if (!(*arguments.until_error >= 0))
      return fail(Code::kUsage, "--until-error: found {}, expected a number of at least 0",
                  *arguments.until_error);
  }
  if (!arguments.picture.empty() && arguments.adaptive != "compare")
    return fail(Code::kUsage, "--svg requires --adaptive compare or --job");
  if (arguments.adaptive == "compare" && *metric != Metric::kSumMaxCong &&
      *metric != Metric::kHistAccBand)
    return fail(Code::kUsage,
                "--adaptive compare: found metric {}, expected sum_max_cong or hist_acc_band",
                arguments.metric);
  spec.measures = measures_of(*metric);
  spec.seed = arguments.seed;
  return spec;
}

}  // namespace weft::cli
