// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The command line of the program weft (docs/reference/cli.md). In a source of its own, separate
// from main(), because CLI11 takes half a minute to compile.
#pragma once

namespace weft::cli {

/// Parses the command line and runs the subcommand; returns the exit status, also after an
/// exception. Called as `opensm` the program is `weft sm`, called as `orcs` `weft simulate`.
int run_command_line(int argc, char** argv);

}  // namespace weft::cli
