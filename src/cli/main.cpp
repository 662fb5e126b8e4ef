// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The program weft: parses the command line, runs the subcommand, and returns its exit status
// (docs/reference/cli.md). Called as `opensm` it is `weft sm`, called as `orcs` `weft simulate`.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/memory/heap.h"
#include "cli/subcommands.h"
#include "cli/usage_error.h"
#include "cli/version_text.h"
#include "routing/plugin/engine_process.h"
#include "service/front/front_starter.h"

namespace {

using namespace weft;

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
  for (const cli::Subcommand* subcommand : cli::kSubcommands) {
    CLI::App* sub = app.add_subcommand(subcommand->name, subcommand->help);
    runs.emplace_back(sub, subcommand->set_up(*sub));
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
  if (const auto status = weft::run_as_engine_process(argc, argv)) return *status;
  if (const auto status = weft::front::run_as_front_process(argc, argv)) return *status;
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
