// weft verify FABRIC --lfts FILE [--psl FILE] [--slvl FILE] [--ar FILE] [--mfts FILE] [--multicast
// FILE]: judge anybody's routes. weft verify GRAPH.dot: the same for a graph that holds both.

#include <algorithm>
#include <memory>

#include "base/log.h"
#include "cli/command.h"
#include "cli/common.h"
#include "cli/quality_text.h"
#include "congestion/quality.h"
#include "fabric/lids.h"
#include "routes/dump/read.h"
#include "sm/group_file.h"

namespace weft::cli {
namespace {

struct Options {
  FabricArgument fabric;
  std::string lfts, psl, slvl, adaptive, mfts, groups;
  unsigned threads = 0;
  std::uint64_t seed = 0;
  bool allow_empty = false;
  bool ignore_replies = false;
  bool json = false;
  bool by_guid = false;  // the file has no LIDs that the tables' could be
};

bool has_lids(const Fabric& fabric) {
  return std::ranges::any_of(current_lids(fabric),
                             [](LidRange lid) { return lid.base != kLidNone; });
}

/// Reads each file that was named; the rest is as a fabric without QoS has it.
Result<Routes> read_routes(const Fabric& fabric, const Options& options) {
  Warnings warnings;
  Routes routes;
  const auto read = [&](const std::string& path, auto reader, auto& into) -> Status {
    if (path.empty()) return {};
    auto value = reader(fabric, path, warnings);
    if (!value) return forward(value);
    into = std::move(*value);
    return {};
  };
  Status status =
      read(options.lfts, options.by_guid ? &read_lfts_by_guid : &read_lfts, routes.lfts);
  if (status) status = read(options.psl, &read_psl, routes.path_sl);
  if (status) status = read(options.slvl, &read_slvl, routes.sl2vl);
  if (status) status = read(options.adaptive, &read_adaptive, routes.adaptive);
  if (status) status = read(options.mfts, &read_mfts, routes.mfts);
  log(warnings);
  if (!status) return forward(status);
  return routes;
}

int run(const Options& options) {
  const auto input = load(options.fabric);
  if (!input) return report(input.error());
  Options complete = options;
  Result<Fabric> numbered = input->fabric;
  if (options.lfts.empty()) {  // a graph may hold both, and need not hold LIDs
    if (input->format != "dot")
      return report({Code::kUsage, "--lfts is needed: only a Graphviz graph can hold routes too"});
    complete.lfts = options.fabric.name;
  }
  if (options.lfts.empty() || !has_lids(input->fabric)) {
    complete.by_guid = !options.lfts.empty();
    numbered = with_all_lids(input->fabric, 0);
    if (!numbered) return report(numbered.error());
  }
  const Fabric& fabric = *numbered;
  const auto routes = read_routes(fabric, complete);
  if (!routes) return report(routes.error());
  std::vector<MulticastGroup> groups;
  if (!options.groups.empty()) {
    const auto filed = read_groups(options.groups);
    if (!filed) return report(filed.error());
    std::vector<std::string> warnings;
    groups = resolve_groups(*filed, fabric, warnings);
    for (const std::string& warning : warnings) log::warn("{}", warning);
  }
  Verdict verdict = verify(
      fabric, *routes,
      {.threads = options.threads, .groups = groups, .ignore_replies = options.ignore_replies});
  if (complete.by_guid && verdict.ca_to_ca.pairs > 0 && verdict.ca_to_ca.arrived == 0)
    verdict.empty = "the fabric file has no LIDs that the tables could be matched by";
  const Quality quality =
      assess(fabric, *routes, {.threads = options.threads, .seed = options.seed});
  if (options.json) {
    print({{"fabric", fabric_json(fabric)},
           {"adaptive", adaptive_json(*routes)},
           {"verify", verdict_json(fabric, verdict)},
           {"quality", quality_json(quality)}});
  } else {
    append_to_stdout(quality_text(quality) + adaptive_text(*routes) +
                     verdict_text(fabric, verdict));
  }
  return passes(verdict, options.allow_empty) ? 0 : 1;
}

}  // namespace

Run add_verify(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_fabric(app, options->fabric);
  app.add_option(
      "--lfts", options->lfts,
      "Forwarding tables: opensm.fdbs, opensm-lfts.dump, a file or folder of ibroute output, or "
      "a routed Graphviz graph. Not needed where FABRIC is such a graph");
  app.add_option("--psl", options->psl, "SL of each path (weft.psl)");
  app.add_option("--slvl", options->slvl, "SLtoVL tables (weft.slvl or opensm-sl2vl.dump)");
  app.add_option("--ar", options->adaptive,
                 "Groups of ports that switches choose among, and for which LIDs (weft.ar)");
  app.add_option("--mfts,--mcfdbs", options->mfts, "Multicast tables (opensm.mcfdbs)");
  app.add_option("--multicast", options->groups,
                 "File with the members of multicast groups; by default those whom the multicast "
                 "tables of their own switches send copies to");
  app.add_flag_callback(
      "--switches", [] {},
      "Accepted for compatibility: packets to and from port 0 of switches always count");
  app.add_option_function<std::string>(
         "--replies",
         [options](const std::string& how) { options->ignore_replies = how == "ignore"; },
         "count: verify replies on the SL of the request too (default); ignore: one-way traffic "
         "only")
      ->check(CLI::IsMember({"count", "ignore"}))
      ->option_text("count|ignore");
  add_allow_empty(app, options->allow_empty);
  app.add_option("--threads", options->threads, "Threads, 0 for all cores");
  app.add_option("--seed", options->seed, "Seed of the random matchings");
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run(*options); };
}

}  // namespace weft::cli
