// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Maps the command-line options of opensm(8), and those that only Weft has, to keys of the
// configuration file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/config/settings.h"

namespace weft {

struct CommandOption {
  std::string_view names;  // in CLI11's syntax: "-l,--lmc"
  std::string_view key;
  std::string_view fixed{};  // value that the option sets; empty: the option takes an argument
  std::string_view about{};  // help text; empty: the help text of the key
};

/// Options of routing and its verification; the commands that compute routes also accept these
/// options.
std::span<const CommandOption> routing_command_options();
/// Options of the manager; `weft check` accepts these options too.
std::span<const CommandOption> manager_command_options();

/// One option given on the command line.
struct Assignment {
  std::string option;
  std::string_view key;
  std::string value;
};

/// Applies the options in command-line order; the options override the configuration file. Fails
/// with kUsage "OPTION: found .., expected ..".
Status assign_all(const std::vector<Assignment>& assignments, Settings& settings,
                  std::vector<std::string>& warnings);

}  // namespace weft
