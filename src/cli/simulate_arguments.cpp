#include "cli/simulate_arguments.h"

#include <array>
#include <filesystem>

#include "base/log.h"
#include "base/text.h"
#include "cli/routing_request.h"
#include "cli/version_text.h"
#include "fabric/generators/spec.h"
#include "routes/dump/read.h"
#include "service/options.h"

namespace weft::cli {
namespace {

/// Options of `weft route` under their long names, since ORCS has most letters for its own.
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

/// Whether a file begins as a graph does.
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
        fmt::format("routing engine '{}' did not serve: {}", attempt.engine, attempt.reason));
  if (!chain.status) return forward(chain.status);
  return std::move(chain.routes);
}

Result<LoadedNetwork> load_fabric(const SimulateArguments& arguments) {
  std::vector<std::string> warnings;
  const auto request = read_request(arguments.routing, warnings, settings_of(arguments));
  if (!request) return forward(request);
  auto fabric = load_lidded(arguments.fabric, *request);
  if (!fabric) return forward(fabric);
  auto routes = arguments.lfts.empty() ? find_routes(*request, *fabric, warnings)
                                       : read_tables(*fabric, arguments);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!routes) return forward(routes);
  LoadedNetwork loaded;
  loaded.routes = std::move(*routes);
  auto network = network_of(*fabric, loaded.routes.lfts,
                            loaded.routes.adaptive ? &*loaded.routes.adaptive : nullptr);
  if (!network) return forward(network);
  loaded.network = std::move(*network);
  loaded.fabric = std::move(*fabric);
  return loaded;
}

void add_study(CLI::App& app, SimulateArguments& a) {
  app.add_option("-p,--ptrn", a.pattern.name, "Pattern of communication, see below (bisect)");
  app.add_option("-f,--frstptrn,--ptrnfst", a.pattern.first, "First pattern of ptrnvsptrn (null)");
  app.add_option("-c,--secptrn", a.pattern.second, "Second pattern of ptrnvsptrn (null)");
  app.add_option("-z,--part_commsize", a.pattern.first_ranks,
                 "Hosts of the first pattern of ptrnvsptrn (0: half of them)");
  app.add_option("-s,--commsize", a.ranks, "Hosts that take part (0: all)");
  app.add_option("-n,--num_runs", a.runs, "Simulation runs (1)");
  app.add_option(
      "--until-error", a.until_error,
      "Run until the 99% error of the average is at most this; -n is the most runs then (a "
      "million)");
  app.add_option("-l,--ptrn_level", a.level, "Only this level of the pattern, from 0");
  app.add_option(
      "--subset", a.subset,
      "Which hosts: linear_bfs (default), rand, guid_asc, guid_desc, or file:PATH with a "
      "name, label or GUID a line");
  app.add_option("--mapping", a.mapping,
                 "random: ranks are hosts in a new order each run (default); linear: in the "
                 "subset's order")
      ->check(CLI::IsMember({"random", "linear"}));
  app.add_option("--metric", a.metric,
                 "sum_max_cong (default), hist_max_cong, hist_acc_band, dep_max_delay, "
                 "get_cable_cong (or get_cong_map), fair_band, worst_permutation");
  app.add_option("--paths", a.paths,
                 "Which of 2^LMC ways messages take: base (default), source, random, all")
      ->check(CLI::IsMember({"base", "source", "random", "all"}));
  app.add_option("--adaptive", a.adaptive,
                 "What switches do that may choose (-R ar_..): greedy: the least loaded port "
                 "(default), split: evenly over all, static: none, compare: all three side by side")
      ->check(CLI::IsMember({"static", "greedy", "split", "compare"}));
  app.add_option("--svg", a.picture, "With --adaptive compare: draw the bandwidth of each run");
  app.add_flag("--link-rates", a.link_rates,
               "Cables are as fast as the fabric says, not all alike");
  app.add_option("--seed", a.seed, "Seed of everything random (0)");
}

/// What-if asks about all pairs and about tables that an engine makes: what says which messages are
/// sent, or gives tables, has no meaning beside it.
void refuse_traffic_beside_failures(CLI::App& app) {
  for (const char* option :
       {"--lfts", "--ptrn", "--frstptrn", "--secptrn", "--part_commsize", "--commsize",
        "--num_runs", "--ptrn_level", "--subset", "--mapping", "--metric", "--paths",
        "--link-rates", "--adaptive", "--svg", "--until-error", "--printptrn", "--printnamelist"})
    app.get_option("--failures")->excludes(app.get_option(option));
}

}  // namespace

void add_simulate_arguments(CLI::App& app, SimulateArguments& a) {
  app.set_version_flag("-V,--version", version_text("weft"));
  add_fabric(app, a.fabric);
  app.get_option("FABRIC")->required(false);
  a.fabric.name = "-";
  app.add_option(
      "-i,--input_file", a.fabric.name,
      "The same: a graph with routes as ORCS reads it, or any fabric (-: standard input)");
  app.add_option("-o,--output_file", a.output, "File to write instead of standard output");
  app.add_option("--lfts", a.lfts, "Forwarding tables of the fabric; files as for verify");
  app.add_option("--ar", a.adaptive_tables, "Beside --lfts: groups of ports (weft.ar)")
      ->needs("--lfts");
  add_study(app, a);
  app.add_flag("--printptrn", a.print_pattern, "Print the pattern, level by level");
  app.add_flag("--printnamelist", a.print_hosts, "Print the hosts that take part");
  app.add_option("--threads", a.threads, "Threads, 0 for all cores; results do not depend on it");
  app.add_flag("-v,--verbose", a.verbose, "Say when a level is done");
  app.add_flag("--json", a.json, "Report as one JSON object");
  add_what_if(app, a.what_if);
  refuse_traffic_beside_failures(app);
  static const std::vector<CommandOption> kRouting = routing_options();
  add_command_options(app, kRouting, a.routing, offline_defaults());
  app.footer(patterns_help());
}

Settings settings_of(const SimulateArguments& arguments) {
  Settings settings;
  settings.threads = static_cast<decltype(settings.threads)>(arguments.threads);
  settings.seed = arguments.seed;
  return settings;
}

Result<LoadedNetwork> load_network(const SimulateArguments& arguments) {
  const std::string& name = arguments.fabric.name;
  const bool is_told = !arguments.routing.empty() || !arguments.lfts.empty();
  if (!is_told && name == "-") return load_graph(arguments);
  std::error_code ignored;
  const bool is_spec = !std::filesystem::exists(name, ignored) && looks_like_spec(name);
  if (!is_told && !is_spec) {
    const auto graph = is_graph(name);
    if (!graph) return forward(graph);
    if (*graph) return load_graph(arguments);
  }
  return load_fabric(arguments);
}

std::uint64_t runs_wanted(const SimulateArguments& arguments) {
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
  spec.choosing = arguments.adaptive == "static"  ? Choosing::kStatic
                  : arguments.adaptive == "split" ? Choosing::kSplit
                                                  : Choosing::kGreedy;
  const auto metric = parse_metric(arguments.metric);
  if (!metric) return forward(metric);
  if (arguments.until_error) {
    if (!has_values_by_run(*metric))
      return fail(Code::kUsage, "--until-error: metric {} has no average over runs, want another",
                  arguments.metric);
    if (!(*arguments.until_error >= 0))
      return fail(Code::kUsage, "--until-error: found {}, want a number from 0",
                  *arguments.until_error);
  }
  if (!arguments.picture.empty() && arguments.adaptive != "compare")
    return fail(Code::kUsage, "--svg: there is a picture of --adaptive compare only");
  if (arguments.adaptive == "compare" && *metric != Metric::kSumMaxCong &&
      *metric != Metric::kHistAccBand)
    return fail(Code::kUsage, "--adaptive compare: has the metrics of its own table, not {}",
                arguments.metric);
  spec.measures = measures_of(*metric);
  spec.seed = arguments.seed;
  return spec;
}

}  // namespace weft::cli
