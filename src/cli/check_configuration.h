// The configuration part of `weft check`: every file that weft sm would read, to its last line, and
// what is left of the settings without those that do not serve.
#pragma once

#include <string>
#include <vector>

#include "cli/findings.h"
#include "cli/routing_arguments.h"
#include "sm/options.h"

namespace weft::cli {

struct CheckedFile {
  std::string key;  // "config" for the configuration file itself
  std::string path;
  bool good = true;
};

struct CheckedConfiguration {
  Settings settings;  // without what cannot be read
  SmOptions options;
  std::vector<CheckedFile> files;
};

/// `config` is the configuration file's path, or empty.
CheckedConfiguration check_configuration(const std::string& config, const Assignments& assignments,
                                         Findings& findings);

}  // namespace weft::cli
