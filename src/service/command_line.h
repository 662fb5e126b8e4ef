// Which option of opensm(8) sets which key of the configuration file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/settings.h"

namespace weft {

struct CommandOption {
  std::string_view names;  // as CLI11 takes them: "-l,--lmc"
  std::string_view key;
  std::string_view fixed{};  // what it sets; empty: what stands behind it on the command line
  std::string_view about{};  // for the help; empty: what the key says
};

/// Options that say something about routes: for `weft route` too.
std::span<const CommandOption> routing_command_options();
/// The others.
std::span<const CommandOption> manager_command_options();

/// One option as it was given.
struct Assignment {
  std::string option;
  std::string_view key;
  std::string value;
};

/// Sets what the command line says, in its order, over whatever a file said. Fails with kUsage
/// "OPTION: found .., want ..".
Status assign_all(const std::vector<Assignment>& assignments, Settings& settings,
                  std::vector<std::string>& warnings);

}  // namespace weft
