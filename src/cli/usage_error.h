// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Error messages for unknown subcommands and options, with suggestions, and for extra arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// The message if the first word is neither a subcommand nor an option of `app`; nullopt if it is,
/// or without words.
std::optional<std::string> unknown_subcommand(const CLI::App& app,
                                              const std::vector<std::string>& words);

/// The message for the words that no option or argument accepted ("-x", "--option=value", "word"):
/// the first unknown option, else the first extra argument.
std::string unexpected_words(const CLI::App& app, const std::vector<std::string>& left_over);

}  // namespace weft::cli
