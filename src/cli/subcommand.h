// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A subcommand of weft, as it is entered in the table of subcommands.h, and exit statuses.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace weft::cli {

/// Runs a subcommand after its options are parsed; returns the exit status defined in
/// docs/reference/cli.md.
using Run = std::function<int()>;

struct Subcommand {
  const char* name;
  const char* help;          // the line of the subcommand in `weft --help`
  Run (*set_up)(CLI::App&);  // declares the options
};

/// Exit statuses for callers that have no Error.
inline constexpr int kExitUsage = 2;
inline constexpr int kExitEnvironment = 3;

}  // namespace weft::cli
