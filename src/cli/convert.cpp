// weft convert IN OUT [--format F] [--to F]

#include <memory>

#include "cli/command.h"
#include "cli/output.h"

namespace weft::cli {
namespace {

struct Options {
  FabricArgument input;
  OutputArgument output;
};

int run(const Options& options) {
  const auto input = load(options.input);
  if (!input) return report(input.error());
  return write_output(input->fabric, options.output);
}

}  // namespace

Run add_convert(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_fabric(app, options->input);
  add_output(app, options->output, true);
  return [options] { return run(*options); };
}

}  // namespace weft::cli
