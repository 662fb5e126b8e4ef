// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "cli/subcommands.h"
#include "cli/usage_error.h"
#include "cli/version_text.h"

namespace weft::cli {
namespace {

/// The command line with the subcommand that the program name (opensm, orcs) implies.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto program = std::filesystem::path(argv[0]).filename();
  if (program == "opensm") words.insert(words.begin(), "sm");
  if (program == "orcs") words.insert(words.begin(), "simulate");
  return words;
}

int usage_error(const std::string& what, const std::string& help) {
  std::cerr << "weft: " << what << "\nRun '" << help << "' for more information.\n";
  return kExitUsage;
}

/// True if the options of the subcommand are needed: to declare the options of all subcommands
/// takes longer than many commands take to run. Completion scripts contain all options.
bool is_needed(const Subcommand& subcommand, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return word == subcommand.name || word == kCompletionSubcommand.name;
  });
}

int run(int argc, char** argv) {
  CLI::App app("Weft: an InfiniBand subnet manager and routing workbench", "weft");
  app.set_version_flag("--version", version_text("weft"));
  app.require_subcommand(1);
  std::vector<std::string> words = arguments(argc, argv);
  std::vector<std::pair<CLI::App*, Run>> runs;
  for (const Subcommand* subcommand : kSubcommands) {
    CLI::App* sub = app.add_subcommand(subcommand->name, subcommand->help);
    if (is_needed(*subcommand, words)) runs.emplace_back(sub, subcommand->set_up(*sub));
  }
  if (const auto wrong = unknown_subcommand(app, words)) return usage_error(*wrong, "weft --help");
  std::ranges::reverse(words);  // CLI11 expects the last word first
  try {
    app.parse(words);
  } catch (const CLI::ExtrasError&) {
    const auto parsed =
        std::ranges::find_if(runs, [](const auto& run) { return run.first->parsed(); });
    return usage_error(
        unexpected_words(app, app.remaining(true)),
        fmt::format("weft {} --help", parsed == runs.end() ? "" : parsed->first->get_name()));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  for (const auto& [sub, work] : runs)
    if (sub->parsed()) return work();
  return kExitUsage;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::cerr << "weft: out of memory\n";
  } catch (const std::exception& error) {
    std::cerr << "weft: " << error.what() << '\n';
  }
  return kExitEnvironment;
}

}  // namespace weft::cli
