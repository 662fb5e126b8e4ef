// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The configuration part of `weft check`: reads every file that weft sm would read, reports all
// invalid lines, and returns the settings without the invalid ones.
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

/// `config`: path of the configuration file, or empty.
CheckedConfiguration check_configuration(const std::string& config, const Assignments& assignments,
                                         Findings& findings);

}  // namespace weft::cli
