// Subcommands for configuration, operation and export; declared as those in command.h.
#pragma once

#include "cli/command.h"

namespace weft::cli {

Run add_check(CLI::App& app);
Run add_completion(CLI::App& app);
Run add_emulate(CLI::App& app);
Run add_events(CLI::App& app);
Run add_export(CLI::App& app);
Run add_partition(CLI::App& app);
Run add_top(CLI::App& app);

}  // namespace weft::cli
