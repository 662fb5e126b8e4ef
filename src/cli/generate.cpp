// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft generate SPEC [-o FILE] [--to FORMAT]: writes the fabric of a generator spec.

#include <memory>

#include "base/file.h"
#include "cli/output.h"
#include "cli/subcommands.h"
#include "fabric/generators/spec.h"

namespace weft::cli {
namespace {

struct GenerateOptions {
  std::string spec;
  OutputArgument output;
};

int run_generate(const GenerateOptions& options) {
  const auto fabric = generate(options.spec);
  if (!fabric) return report(fabric.error());
  return write_output(*fabric, options.output);
}

Run set_up_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  app.add_option("SPEC", options->spec,
                 "Generator with parameters, such as fattree3:k=16 (docs/reference/generators.md)")
      ->required();
  add_output(app, options->output);
  app.footer(generators_help());
  return [options] { return run_generate(*options); };
}

}  // namespace

const Subcommand kGenerateSubcommand{"generate", "Generate a fabric from a generator spec",
                                     &set_up_generate};

}  // namespace weft::cli
