// Subcommands beside the work on fabrics and routes: each declares its options as those of
// command.h.
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
