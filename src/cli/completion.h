// Completion for shells, made from the options as they are declared, so that it cannot lag behind
// the help texts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

/// A script that bash sources: subcommands, options, and behind options engines, one of a few
/// words, or files. It needs nothing but bash.
std::string bash_completion(const CLI::App& app);

/// The same as an autoloaded function of zsh, _weft.
std::string zsh_completion(const CLI::App& app);

}  // namespace weft::cli
