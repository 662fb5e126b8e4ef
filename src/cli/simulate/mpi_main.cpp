// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft-mpi: subcommands that run as an MPI job on many machines.
//   mpirun -n 4 weft-mpi simulate ...

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "base/log.h"
#include "cli/simulate/mpi_team.h"
#include "cli/subcommands.h"
#include "cli/version_text.h"
#include "routing/plugin/engine_process.h"

namespace {

using namespace weft;

int run(int argc, char** argv) {
  CLI::App app("Weft congestion simulator as an MPI job", "weft-mpi");
  app.set_version_flag("--version", cli::version_text("weft-mpi"));
  app.require_subcommand(1);
  CLI::App* simulate =
      app.add_subcommand("simulate", "Simulate the congestion of traffic patterns");
  const cli::Run work = cli::kSimulateSubcommand.set_up(*simulate);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (!cli::team().is_leader()) return cli::kExitUsage;  // all ranks have the same error
    return app.exit(error) == 0 ? 0 : cli::kExitUsage;
  }
  return work();
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto status = run_as_engine_process(argc, argv)) return *status;
  cli::MpiTeam team(argc, argv);
  cli::set_team(team);
  log_to_stderr(team.is_leader() ? spdlog::level::warn : spdlog::level::err);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weft-mpi: rank %u: %s\n", team.rank(), error.what());
    team.abandon();
  }
  return cli::kExitEnvironment;
}
