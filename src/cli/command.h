// One file a subcommand: it declares its options on CLI11, and gives the work to do once they are
// parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace weft::cli {

/// What a subcommand does once its options are read; returns the exit status of the contract
/// (docs/reference/cli.md).
using Run = std::function<int()>;

/// Of the contract, where there is no Error to ask.
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
