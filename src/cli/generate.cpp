// weft generate SPEC [-o FILE] [--to FORMAT]

#include <memory>

#include "base/file.h"
#include "cli/command.h"
#include "cli/output.h"
#include "fabric/generators/spec.h"

namespace weft::cli {
namespace {

struct Options {
  std::string spec;
  OutputArgument output;
};

int run(const Options& options) {
  const auto fabric = generate(options.spec);
  if (!fabric) return report(fabric.error());
  return write_output(*fabric, options.output);
}

}  // namespace

Run add_generate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("SPEC", options->spec,
                 "Generator with parameters, such as fattree3:k=16 (docs/reference/generators.md)")
      ->required();
  add_output(app, options->output);
  app.footer(generators_help());
  return [options] { return run(*options); };
}

}  // namespace weft::cli
