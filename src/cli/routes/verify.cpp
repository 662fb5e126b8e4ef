// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft verify FABRIC --lfts FILE [--psl FILE] [--slvl FILE] [--ar FILE] [--mfts FILE] [--msl FILE]
// [--multicast FILE]: verifies forwarding tables from any subnet manager. weft verify GRAPH.dot and
// weft verify FOLDER: verifies the routes in a routed graph or in a dump folder.

#include <algorithm>
#include <memory>

#include "base/log.h"
#include "cli/common.h"
#include "cli/routes/dump_folder.h"
#include "cli/routes/quality_text.h"
#include "cli/subcommands.h"
#include "congestion/quality/quality.h"
#include "fabric/lids.h"
#include "policy/group_file.h"
#include "routes/dump/read.h"
#include "sm/dumps.h"

namespace weft::cli {
namespace {

struct VerifyOptions {
  FabricArgument fabric;
  std::string lfts, psl, slvl, adaptive, mfts, multicast_sl, groups;
  unsigned threads = 0;
  std::uint64_t seed = 0;
  bool allow_empty = false;
  bool ignore_replies = false;
  PatternArguments patterns;
  bool json = false;
  bool by_guid = false;  // the fabric file has no LIDs
};

bool has_lids(const Fabric& fabric) {
  return std::ranges::any_of(current_lids(fabric),
                             [](LidRange lid) { return lid.base != kLidNone; });
}

/// Reads the named files. If no files of path SLs and SL2VL tables are named, the routes have no
/// QoS.
Result<Routes> read_routes(const Fabric& fabric, const VerifyOptions& options) {
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
  if (status) status = read(options.multicast_sl, &read_multicast_sl, routes.multicast_sl);
  log(warnings);
  if (!status) return forward(status);
  return routes;
}

/// Adds the files of a dump folder that no option overrides.
Status complete_from_folder(VerifyOptions& options) {
  const std::string folder = options.fabric.name;
  const auto found = find_dumps(folder);
  if (!found) return forward(found);
  if (options.psl.empty() && found->psl.empty() && found->fabric.ends_with(kFabricFile))
    return fail(
        Code::kBadInput,
        "{}: no weft.psl in this folder, path SLs unknown: write the dumps with `weft route "
        "--psl` (needed for more than 2000 CAs), or name a file with --psl",
        folder);
  options.fabric.name = found->fabric;
  const auto complete = [](std::string& option, const std::string& file) {
    if (option.empty()) option = file;
  };
  complete(options.lfts, found->lfts);
  complete(options.psl, found->psl);
  complete(options.slvl, found->slvl);
  complete(options.adaptive, found->adaptive);
  complete(options.mfts, found->mfts);
  complete(options.multicast_sl, found->multicast_sl);
  complete(options.groups, found->groups);
  return {};
}

int run_verify(VerifyOptions options) {
  if (is_folder(options.fabric.name))
    if (const auto status = complete_from_folder(options); !status) return report(status.error());
  const auto input = load(options.fabric);
  if (!input) return report(input.error());
  VerifyOptions complete = options;
  Result<Fabric> numbered = input->fabric;
  if (options.lfts.empty()) {  // a graph may contain routes, with or without LIDs
    if (input->format != "dot")
      return report({Code::kUsage, "expected --lfts: only a Graphviz graph can contain routes"});
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
    verdict.empty = "the fabric file has no LIDs to match the tables";
  const QualityOptions measured{
      .threads = options.threads, .seed = options.seed, .bound = options.patterns.measured};
  const Quality quality =
      assess(fabric, *routes, quality_options(measured, options.patterns, fabric));
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

Run set_up_verify(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  add_fabric(app, options->fabric);
  app.get_option("FABRIC")->description(
      "Fabric file in any supported format (also .gz, - for standard input), generator spec such "
      "as fattree3:k=16, or dump folder (weft route -o); options can override its files");
  app.add_option(
      "--lfts", options->lfts,
      "Read the forwarding tables: opensm.fdbs, opensm-lfts.dump, a file or folder of "
      "ibroute output, or a routed Graphviz graph; not needed if FABRIC is such a graph");
  app.add_option("--psl", options->psl, "Read the SL of each path from this file (weft.psl)");
  app.add_option("--slvl", options->slvl,
                 "Read the SLtoVL tables from this file (weft.slvl or opensm-sl2vl.dump)");
  app.add_option("--ar", options->adaptive,
                 "Read the adaptive-routing groups from this file (weft.ar)");
  app.add_option("--mfts,--mcfdbs", options->mfts,
                 "Read the multicast tables from this file (opensm.mcfdbs)");
  app.add_option("--msl", options->multicast_sl,
                 "Read the SL of each multicast LID from this file (weft.msl)");
  app.add_option(
      "--multicast", options->groups,
      "Read the members of multicast groups from this file (default: the endports that the "
      "multicast tables of their switches send copies to)");
  app.add_flag_callback(
      "--switches", [] {},
      "Accept for compatibility, without effect: port 0 of switches is always verified");
  restrict_to(app.add_option_function<std::string>(
                  "--replies",
                  [options](const std::string& how) { options->ignore_replies = how == "ignore"; },
                  "Include replies on the SL of the request in the verification, or verify one-way "
                  "traffic only (default: count)"),
              {"count", "ignore"});
  add_allow_empty(app, options->allow_empty);
  app.add_option("--threads", options->threads,
                 "Set the number of threads; 0: one per core (default: 0)");
  app.add_option("--seed", options->seed, "Set the seed of the random matchings (default: 0)");
  add_patterns(app, options->patterns);
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run_verify(*options); };
}

}  // namespace

const Subcommand kVerifySubcommand{"verify", "Verify forwarding tables from any subnet manager",
                                   &set_up_verify};

}  // namespace weft::cli
