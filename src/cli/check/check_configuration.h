// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The configuration part of `weft check`: reads the configuration file and the input files that it
// names, reports the invalid lines (see check_file()), and returns the settings. Files that weft sm
// keeps for its next start are not read, and event plugins are not loaded.
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
  /// Without the invalid lines of the configuration file, invalid assignments, an invalid
  /// routing_engine, and the paths of files that are invalid, without effect, or not read because
  /// a file that they refer to is invalid. Other
  /// values that weft sm would refuse remain: of HTTP, replication, the console, alarms, the SA,
  /// congestion control and sm_options(), and paths that check_trusted_files() refuses.
  Settings settings;
  SmOptions options;
  std::vector<CheckedFile> files;
};

/// Reads the configuration file (empty path: none), the assignments of the command line, and the
/// files that the settings name. Adds errors, problems and notes to `findings`. `options` of the
/// result has its default values if sm_options() fails.
CheckedConfiguration check_configuration(const std::string& config, const Assignments& assignments,
                                         Findings& findings);

}  // namespace weft::cli
