// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Shell completion scripts, generated from the declared options so that they match the help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

/// A bash script that completes subcommands, options, and option values (engines, enumerations,
/// files). It requires bash only, not bash-completion.
std::string bash_completion(const CLI::App& app);

/// A zsh function, _weft, for autoload; completes the same words.
std::string zsh_completion(const CLI::App& app);

}  // namespace weft::cli
