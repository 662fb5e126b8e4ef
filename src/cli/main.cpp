// The program weft: parses the command line, runs the subcommand, and returns its exit status
// (docs/reference/cli.md). Called as `opensm` it is `weft sm`, called as `orcs` `weft simulate`.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "base/heap.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/tools.h"
#include "cli/usage_error.h"
#include "cli/version_text.h"

namespace {

using namespace weft;

struct Subcommand {
  const char* name;
  const char* summary;
  cli::Run (*add)(CLI::App&);
};

constexpr std::array kSubcommands{
    Subcommand{"sm", "Run the subnet manager, with opensm's options", &cli::add_sm},
    Subcommand{"route", "Route a fabric file offline, verify the routes, write the dumps",
               &cli::add_route},
    Subcommand{"verify", "Verify forwarding tables from any subnet manager", &cli::add_verify},
    Subcommand{"check", "Check a configuration before a restart of the subnet manager",
               &cli::add_check},
    Subcommand{"simulate", "Simulate the congestion of traffic patterns, with ORCS's options",
               &cli::add_simulate},
    Subcommand{"report", "Write an HTML report: topology, engine comparison, link loads, paths",
               &cli::add_report},
    Subcommand{"generate", "Generate a fabric from a generator spec", &cli::add_generate},
    Subcommand{"convert", "Convert a fabric file to another format", &cli::add_convert},
    Subcommand{"export", "Export a fabric for Slurm, Prometheus, Graphviz and others",
               &cli::add_export},
    Subcommand{"partition", "Show and change the partitions of a running subnet manager",
               &cli::add_partition},
    Subcommand{"emulate", "Cut and restore links of a running emulated fabric", &cli::add_emulate},
    Subcommand{"events", "List fabric events from the history of a subnet manager",
               &cli::add_events},
    Subcommand{"top", "Show the links of a fabric by load and errors, live", &cli::add_top},
    Subcommand{"completion", "Write a shell completion script", &cli::add_completion},
    Subcommand{"diff", "Compare two fabrics or two sets of routes", &cli::add_diff},
};

/// The command line with the subcommand that the program name (opensm, orcs) implies.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto called = std::filesystem::path(argv[0]).filename();
  if (called == "opensm") words.insert(words.begin(), "sm");
  if (called == "orcs") words.insert(words.begin(), "simulate");
  return words;
}

int usage_error(const std::string& what, const std::string& help) {
  std::cerr << "weft: " << what << "\nRun '" << help << "' for more information.\n";
  return cli::kExitUsage;
}

int run(int argc, char** argv) {
  CLI::App app("Weft: an InfiniBand subnet manager and routing workbench", "weft");
  app.set_version_flag("--version", cli::version_text("weft"));
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, cli::Run>> runs;
  for (const Subcommand& subcommand : kSubcommands) {
    CLI::App* sub = app.add_subcommand(subcommand.name, subcommand.summary);
    runs.emplace_back(sub, subcommand.add(*sub));
  }
  std::vector<std::string> words = arguments(argc, argv);
  if (const auto wrong = cli::unknown_subcommand(app, words))
    return usage_error(*wrong, "weft --help");
  std::ranges::reverse(words);  // CLI11 expects the last word first
  try {
    app.parse(words);
  } catch (const CLI::ExtrasError&) {
    const auto parsed =
        std::ranges::find_if(runs, [](const auto& run) { return run.first->parsed(); });
    return usage_error(
        cli::unexpected_words(app, app.remaining(true)),
        fmt::format("weft {} --help", parsed == runs.end() ? "" : parsed->first->get_name()));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : cli::kExitUsage;
  }
  for (const auto& [sub, work] : runs)
    if (sub->parsed()) return work();
  return cli::kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  weft::keep_freed_memory();
  log_to_stderr(spdlog::level::warn);
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "weft: out of memory\n";
  } catch (const std::exception& error) {
    std::cerr << "weft: " << error.what() << '\n';
  }
  return cli::kExitEnvironment;
}
