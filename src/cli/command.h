// Subcommands, one per file: each declares its CLI11 options and returns the function to run after
// parsing.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace weft::cli {

/// Runs a subcommand after its options are parsed; returns the exit status defined in
/// docs/reference/cli.md.
using Run = std::function<int()>;

/// Exit statuses for callers that have no Error.
inline constexpr int kExitUsage = 2;
inline constexpr int kExitEnvironment = 3;

Run add_sm(CLI::App& app);
Run add_route(CLI::App& app);
Run add_verify(CLI::App& app);
Run add_simulate(CLI::App& app);
Run add_generate(CLI::App& app);
Run add_convert(CLI::App& app);
Run add_report(CLI::App& app);
Run add_diff(CLI::App& app);

}  // namespace weft::cli
