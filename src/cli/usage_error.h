// What is wrong with a command line, with a suggestion: unknown subcommands and unknown options.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// Of a first word that is no subcommand and no option of `app` itself; nothing where it is one.
std::optional<std::string> unknown_subcommand(const CLI::App& app,
                                              const std::vector<std::string>& words);

/// Of the words that a parse left over ("-x", "--option=value", "word"): names the first unknown
/// option, else the first word too many.
std::string unexpected_words(const CLI::App& app, const std::vector<std::string>& left_over);

}  // namespace weft::cli
