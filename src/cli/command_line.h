// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The command line of the program weft (docs/reference/cli.md). It is separate from main(), because
// a source that includes CLI11 takes half a minute to compile.
#pragma once

namespace weft::cli {

/// Parses the command line and runs the subcommand; returns the exit status, also after an
/// exception. A program with the name `opensm` runs `weft sm`, with the name `orcs` `weft
/// simulate`.
int run_command_line(int argc, char** argv);

}  // namespace weft::cli
