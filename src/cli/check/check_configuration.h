// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The configuration part of `weft check`: reads every file that weft sm would read, reports the
// invalid lines (see check_file()), and returns the settings without invalid values.
#pragma once

#include <string>
#include <vector>

#include "cli/check/findings.h"
#include "cli/routes/routing_arguments.h"
#include "sm/options.h"

namespace weft::cli {

struct CheckedFile {
  std::string key;  // "config" for the configuration file itself
  std::string path;
  bool good = true;
};

struct CheckedConfiguration {
  Settings settings;  // without invalid values and unreadable files
  SmOptions options;
  std::vector<CheckedFile> files;
};

/// Reads the configuration file (empty path: none), the assignments of the command line, and the
/// files that the settings name. Adds errors and problems to `findings`. `options` of the result
/// has its default values if sm_options() fails.
CheckedConfiguration check_configuration(const std::string& config, const Assignments& assignments,
                                         Findings& findings);

}  // namespace weft::cli
