// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft convert IN OUT [--format F] [--to F]: converts a fabric between formats.
// weft convert IN OUT.dot --lfts FILE: writes a routed graph for ORCS; replaces dot2osm,
// lftsdump2dot and get_network_graph of the ORCS package.

#include <memory>

#include "base/log.h"
#include "cli/output.h"
#include "cli/subcommands.h"
#include "fabric/formats/losses.h"
#include "routes/dump/dot.h"

namespace weft::cli {
namespace {

struct ConvertOptions {
  FabricArgument input;
  OutputArgument output;
  std::string lfts;
};

int convert_with_routes(const Fabric& read, const ConvertOptions& options) {
  if (options.output.format != "dot" && !options.output.path.ends_with(".dot"))
    return report(
        {Code::kUsage, "--lfts: routes need a Graphviz graph as output (.dot, --to dot)"});
  const auto fabric = with_all_lids(read, 0);
  if (!fabric) return report(fabric.error());
  Warnings warnings;
  auto lfts = read_lfts_by_guid(*fabric, options.lfts, warnings);
  log(warnings);
  if (!lfts) return report(lfts.error());
  Routes routes;
  routes.lfts = std::move(*lfts);
  return write_to(options.output.path,
                  [&](const Append& append) { write_dot_routes(*fabric, routes, append); });
}

/// Warns of data that the format does not keep: writes the fabric in this format, reads the text,
/// and compares.
void warn_of_losses(const Fabric& fabric, const OutputArgument& output) {
  const auto writer = writer_of(output);
  if (!writer) return;
  const auto again = read_fabric_text(write_fabric_text(fabric, **writer), output.path,
                                      {.format = std::string((*writer)->name), .ibnl_dir = {}});
  if (!again) return;
  for (const std::string& lost : lost_properties(fabric, again->fabric))
    log::warn("{} cannot contain {}", (*writer)->name, lost);
}

int run_convert(const ConvertOptions& options) {
  const auto input = load(options.input);
  if (!input) return report(input.error());
  if (!options.lfts.empty()) return convert_with_routes(input->fabric, options);
  if (const int status = write_output(input->fabric, options.output); status != 0) return status;
  warn_of_losses(input->fabric, options.output);
  return 0;
}

Run set_up_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  add_fabric(app, options->input);
  add_output(app, options->output, true);
  app.add_option(
      "--lfts", options->lfts,
      "Write these forwarding tables into the Graphviz graph, for ORCS (formats as for verify)");
  return [options] { return run_convert(*options); };
}

}  // namespace

const Subcommand kConvertSubcommand{"convert", "Convert a fabric file to another format",
                                    &set_up_convert};

}  // namespace weft::cli
